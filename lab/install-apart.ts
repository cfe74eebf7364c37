import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs a command's own packages (bench peers, Lighthouse) on its first run and after changes to their lock file.
 * The command's folder has its own package.json, so a normal install skips them.
 * @param folder such as `bench`
 * @param what names the packages in messages
 */
export function installApart(folder: string, what: string, say: (sentence: string) => void): void {
  if (isInstalled(folder)) return;
  const npm = process.env["npm_execpath"];
  if (!npm) throw new Error(`The packages in ${folder} aren't installed: run \`npm ci\` there, or use npm run.`);
  say(`Installing ${what}, into ${folder}/node_modules (only once)`);
  const { status } = spawnSync(process.execPath, [npm, "ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`npm could not install ${what} (${folder}/package.json).`);
}

// Compares names and versions with npm's list of installed packages, which lacks the folder's own entry.
function isInstalled(folder: string): boolean {
  const installed = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(installed)) return false;
  const versions = versionsIn(installed);
  return Object.entries(versionsIn(join(folder, "package-lock.json"))).every(
    ([path, { version, optional }]) => path === "" || optional || versions[path]?.version === version,
  );
}

function versionsIn(file: string): Record<string, { version?: string; optional?: boolean }> {
  return (
    JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, { version?: string; optional?: boolean }> }
  ).packages;
}
