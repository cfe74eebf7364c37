import { execFileSync, spawnSync } from "node:child_process";
import { findFile } from "../lab/crash/failover/programs.ts";

/** Programs and libraries that some tests use, with their Debian packages. */
const programsOfTests = {
  caddy: "caddy",
  go: "golang-go",
  "/usr/share/java/gson.jar": "libgoogle-gson-java",
  "/usr/share/java/junit-platform-console-standalone.jar": "junit5",
  javac: "default-jdk-headless",
  nginx: "nginx-light",
  pgbouncer: "pgbouncer",
  prometheus: "prometheus",
  psql: "postgresql-client",
  "pytest-3": "python3-pytest",
  python3: "python3",
  ruby: "ruby",
  "systemd-analyze": "systemd",
} as const;

export type ProgramOfTests = keyof typeof programsOfTests;

/**
 * A program that some tests run. Undefined if it isn't installed, and these tests are reported as skipped; in CI it throws.
 */
export function findProgram(name: ProgramOfTests): string | undefined {
  const path = findFile(name);
  if (!path && process.env["CI"]) throw new Error(`The tests need ${name}: apt-get install ${programsOfTests[name]}`);
  return path;
}

/** Installs the tests' missing programs, if this process may. */
export function installProgramsOfTests(): void {
  if (!canInstallFromDebian()) return;
  for (const [name, debianPackage] of Object.entries(programsOfTests)) {
    if (!findFile(name)) installFromDebian([debianPackage]);
  }
}

/** Whether this process may install Debian packages: it is root and has apt-get. */
export function canInstallFromDebian(): boolean {
  return process.getuid?.() === 0 && spawnSync("which", ["apt-get"]).status === 0;
}

/** Installs the first of these Debian packages that exists, without starting its services. */
export function installFromDebian(names: readonly string[]): void {
  // In run level 1, packages don't start their services.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const options = { stdio: "ignore", env } as const;
  execFileSync("apt-get", ["update", "-qq"], options);
  const install = ["install", "-y", "-qq", "--no-install-recommends"];
  names.find((name) => spawnSync("apt-get", [...install, name], options).status === 0);
}
