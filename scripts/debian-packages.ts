import { execFileSync, spawnSync } from "node:child_process";

/** Whether this process may install Debian packages: it is root and has apt-get. */
export function canInstallFromDebian(): boolean {
  return process.getuid?.() === 0 && spawnSync("which", ["apt-get"]).status === 0;
}

/** Installs the first of these Debian packages that exists, and starts none of its services. */
export function installFromDebian(names: readonly string[]): void {
  // A package's service isn't started in run level 1.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const options = { stdio: "ignore", env } as const;
  execFileSync("apt-get", ["update", "-qq"], options);
  const install = ["install", "-y", "-qq", "--no-install-recommends"];
  names.find((name) => spawnSync("apt-get", [...install, name], options).status === 0);
}
