import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// `npm ci` works on every platform and registry, with packages that support this project's Node.js. npm's own engine warnings
// are off in .npmrc, because they check the Node.js that runs npm.
type LockedPackage = {
  resolved?: string;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
  hasInstallScript?: boolean;
  integrity?: string;
};

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, LockedPackage>;
};
const { allowScripts } = JSON.parse(readFileSync("package.json", "utf8")) as { allowScripts: Record<string, boolean> };

test("every package supports its Node.js and peer versions", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-lock-file-"));
  try {
    for (const file of ["package.json", "package-lock.json"]) cpSync(file, join(folder, file));
    await npm(folder, ["ci", "--dry-run", "--offline", "--engine-strict"]);
    await npm(folder, ["ls", "--all", "--package-lock-only"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("packages of every platform are locked", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(path, name))
      .map((name) => `${name} of ${path}`),
  );
  expect(missing).toEqual([]);
});

test.each(["package-lock.json", "lab/bench/package-lock.json"])("no package of %s has a registry URL", (file) => {
  const { packages: locked } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
  expect(Object.keys(locked).filter((path) => locked[path]?.resolved)).toEqual([]);
});

test.each(["package-lock.json", "lab/bench/package-lock.json", "lab/lighthouse/package-lock.json"])(
  "every package of %s has its integrity",
  (file) => {
    const { packages: locked } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
    const without = Object.entries(locked).filter(
      ([path, { integrity }]) => path !== "" && !integrity?.startsWith("sha512-"),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  },
);

test("every package with an install script is explicitly allowed or denied", () => {
  const undecided = Object.keys(packages)
    .filter((path) => packages[path]?.hasInstallScript)
    .map(nameOf)
    .filter((name) => !(name in allowScripts));
  expect(undecided).toEqual([]);
});

test("there are fewer than 555 platform-independent packages", () => {
  const everywhere = Object.values(packages).filter(({ os, cpu }) => !os && !cpu);
  expect(everywhere.length).toBeLessThan(555);
});

test("every production dependency is imported by production code", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
  const sources = ["app", "components", "lib", "server", "server.ts"];
  const files = execFileSync("git", ["ls-files", "-z", ...sources], { encoding: "utf8" }).split("\0");
  const text = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|bench)\.tsx?$|\/testing\//.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const imported = new Set(
    [...text.matchAll(/(?:from |import\(|import )"((?:@[^/"]+\/)?[^/".#]+(?:\.[^/".]+)*)/g)].map(([, name]) => name),
  );
  expect(Object.keys(dependencies).filter((name) => !imported.has(name))).toEqual([]);
});

/** Runs npm with the project's Node.js. */
async function npm(cwd: string, parameters: string[]): Promise<void> {
  const program = process.env["npm_execpath"];
  if (!program) throw new Error("this test needs npm: run it with `npm test` or `npm run test:unit`");
  await promisify(execFile)(process.execPath, [program, ...parameters], { cwd, maxBuffer: 16 * 1024 * 1024 });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

// Node's resolution: next to the package, then in each parent folder.
function isLocked(path: string, name: string): boolean {
  if (`${path}/node_modules/${name}` in packages) return true;
  const above = path.lastIndexOf("/node_modules/");
  return above < 0 ? `node_modules/${name}` in packages : isLocked(path.slice(0, above), name);
}
