import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The packages of package-lock.json, by folder. */
export type LockedPackages = Record<string, { dev?: boolean; devOptional?: boolean }>;

const sources = [
  // The pages of the API's listener (lib/service/http/site) use these.
  "app/fonts",
  "app/plainbook-colors.css",
  "brand",
  // The owner applies them after each migration, and `npm run cell:move` reads the service's.
  "deploy/harbor-grants.sql",
  "deploy/service-grants.sql",
  "instrumentation.ts",
  "lib",
  "next.config.mjs",
  "package.json",
  "public",
  "scripts",
  "server",
  "server.ts",
];
const isTested = /\.(?:test|bench)\.tsx?$|\/testing(?:\/|$)/;
// What Next needs only to build pages and resize images.
const unneeded = /^node_modules\/(?:@next\/swc-|@img\/|caniuse-lite$)/;
const unneededFile = /\.map$|\.d\.[cm]?ts$|\/next\/dist\/(?:esm|docs)(?:\/|$)/;

/**
 * Copies the files of a production process into `target`, a new folder, with the pages built in `pages`. Throws a one-sentence
 * error if the folder exists or the pages aren't built.
 */
export function assemble(target: string, { pages = ".next" } = {}): void {
  if (existsSync(target)) throw new Error(`${target} already exists: name a new folder.`);
  if (!existsSync(join(pages, "BUILD_ID"))) throw new Error("The pages aren't built: run `npm run build` first.");
  mkdirSync(target, { recursive: true });
  for (const source of sources) {
    cpSync(source, join(target, source), { recursive: true, filter: (file) => !isTested.test(file) });
  }
  cpSync(pages, join(target, ".next"), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !/^\/(?:cache|diagnostics|trace|types)|\.map$/.test(file.slice(pages.length)),
  });
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: LockedPackages };
  for (const folder of listRuntimePackages(packages)) {
    if (!existsSync(folder)) continue;
    cpSync(folder, join(target, folder), {
      recursive: true,
      filter: (file) => !unneededFile.test(file) && !file.slice(folder.length).includes("/node_modules"),
    });
  }
}

/** The folders of the packages that a production process loads. */
export function listRuntimePackages(packages: LockedPackages): string[] {
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== "" && !dev && !devOptional && !unneeded.test(folder))
    .map(([folder]) => folder);
}
