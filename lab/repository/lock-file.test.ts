import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// The guarantee: `npm ci` works on every platform, from any registry, with packages that all run on the Node.js of this
// project. npm's own warnings about that are switched off in .npmrc, because it asks them of the Node.js that runs npm.
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

test("every package accepts the Node.js that runs it, and every peer the version it gets", {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-lock-file-"));
  try {
    for (const file of ["package.json", "package-lock.json"]) cpSync(file, join(folder, file));
    await npm(folder, ["ci", "--dry-run", "--offline", "--engine-strict"]);
    await npm(folder, ["ls", "--all", "--package-lock-only"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the packages of every platform are locked, where npm left some out when this one's were installed", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(path, name))
      .map((name) => `${name} of ${path}`),
  );
  expect(missing).toEqual([]);
});

test.each(["package-lock.json", "lab/bench/package-lock.json"])("no package of %s is bound to a registry", (file) => {
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

test("of every package with an install script it is decided whether it may run", () => {
  const undecided = Object.keys(packages)
    .filter((path) => packages[path]?.hasInstallScript)
    .map(nameOf)
    .filter((name) => !(name in allowScripts));
  expect(undecided).toEqual([]);
});

test("there are fewer than 400 packages, beside those that one platform alone gets", () => {
  const everywhere = Object.values(packages).filter(({ os, cpu }) => !os && !cpu);
  expect(everywhere.length).toBeLessThan(400);
});

/** Runs npm with the Node.js of this project, which is not the one by which the person started npm. */
async function npm(cwd: string, parameters: string[]): Promise<void> {
  const program = process.env["npm_execpath"];
  if (!program) throw new Error("this test needs npm: run it by `npm test` or `npm run test:unit`");
  await promisify(execFile)(process.execPath, [program, ...parameters], { cwd, maxBuffer: 16 * 1024 * 1024 });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

// As Node.js looks for it: beside the package first, then one folder further up each time.
function isLocked(path: string, name: string): boolean {
  if (`${path}/node_modules/${name}` in packages) return true;
  const above = path.lastIndexOf("/node_modules/");
  return above < 0 ? `node_modules/${name}` in packages : isLocked(path.slice(0, above), name);
}
