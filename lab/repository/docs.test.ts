import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

// File references in the docs are correct.

const documents = globSync(["*.md", "docs/*.md", "docs/decisions/*.md", "lib/**/*.md"]);
const folders = "app|brand|components|docs|e2e|lab|lib|package|scripts|server";

test("every named file and folder exists", () => {
  const missing = documents.flatMap((document) =>
    namedPaths(readFileSync(document, "utf8"))
      .filter((path) => globSync(path.replaceAll(/[[\]()]/g, "?")).length === 0)
      .map((path) => `${document}: ${path}`),
  );
  expect(documents.length).toBeGreaterThan(25);
  expect(missing).toEqual([]);
});

test("every link between documents works", () => {
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
      .map(([, target = ""]) => join(dirname(document), target))
      .filter((target) => !existsSync(target))
      .map((target) => `${document}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("every heading link works", () => {
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
      .map(([, target = "", anchor = ""]) => ({ file: target ? join(dirname(document), target) : document, anchor }))
      .filter(({ file, anchor }) => !anchorsOf(readFileSync(file, "utf8")).includes(anchor))
      .map(({ file, anchor }) => `${document}: ${file}#${anchor}`),
  );
  expect(broken).toEqual([]);
});

// In a checkout, npx would look the name up in the public registry.
test("AGENTS.md names only commands of this repository", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const text = readFileSync("AGENTS.md", "utf8");
  const named = [...text.matchAll(/\b(?:npm run(?: -s)?|npx) ([a-z:]+)/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("a copied integration has every file its README names", () => {
  const names = [...readFileSync("lib/partner/README.md", "utf8").matchAll(/`([a-z-]+\/(?:[\w-]+\.ts)?)`/g)];
  const missing = names
    .map(([, name = ""]) => name)
    .filter((name) => !existsSync(join("lib/partner", name)) && !existsSync(name));
  expect(names.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test("docs/architecture.md lists the set-based operations", () => {
  const section = /## Operations in sets\n(.*?)\n## /s.exec(readFileSync("docs/architecture.md", "utf8"))?.[1] ?? "";
  const listed = [...section.matchAll(/^- `(.*?)`/gm)].map(([, file]) => `lib/service/${file}`);
  const inSets = globSync("lib/**/*.ts").filter((file) => /\bcreateBatcher\(\{/.test(readFileSync(file, "utf8")));
  expect(listed.sort()).toEqual(inSets.filter((file) => !file.endsWith(".test.ts")).sort());
});

test("docs/operations.md lists all metrics", () => {
  const section = /## Metrics\n(.*?)\n## /s.exec(readFileSync("docs/operations.md", "utf8"))?.[1] ?? "";
  const sources = ["lib/service/metrics.ts", "lib/service/operations/read-metrics.ts"];
  const defined = sources.flatMap((file) => namesOfMetrics(readFileSync(file, "utf8")));
  expect(defined.length).toBeGreaterThan(10);
  expect([...new Set(namesOfMetrics(section))].sort()).toEqual(defined.sort());
});

test("the README's map lists exactly the folders", () => {
  const map = /## The map\n+```\n(.*?)```/s.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";
  const ignored = readFileSync(".gitignore", "utf8").split("\n");
  const folders = globSync("*/").map((name) => `${name.replace(/\/$/, "")}/`);
  const tracked = folders.filter((name) => !ignored.includes(name) && !name.startsWith("."));
  expect([...map.matchAll(/^(\w+\/)/gm)].map(([, name]) => name)).toEqual(tracked.sort());
  const inLib = [...map.matchAll(/^(?:lib\/ +| {14})(\w+) /gm)].map(([, name]) => name);
  expect(inLib).toEqual(
    globSync("lib/*/")
      .map((name) => name.slice(4).replace(/\/$/, ""))
      .sort(),
  );
});

test("the README lists exactly the runtime dependencies", () => {
  const table = /## Runtime dependencies[^|]*((?:\|[^\n]*\n)+)/.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";
  const rows = table.split("\n").slice(2, -1);
  const listed = rows.flatMap((row) => (row.split("|")[1] ?? "").replace(/\(.*\)/, "").split(","));
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(listed.map((name) => name.trim()).sort()).toEqual(Object.keys(dependencies).sort());
});

test("docs/runbooks.md lists all refusal causes", () => {
  const section = /## Why a request was refused\n(.*?)\n## /s.exec(readFileSync("docs/runbooks.md", "utf8"))?.[1] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[2] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, cause]) => cause),
  );
  const sources = globSync("lib/service/**/*.ts").filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  const text = sources.map((file) => readFileSync(file, "utf8")).join("\n");
  expect(listed.filter((cause) => !text.includes(`"${cause}"`))).toEqual([]);
  const logged = [...text.matchAll(/cause: "([a-z_]+)"/g)].map(([, cause]) => cause);
  expect(logged.length).toBeGreaterThan(20);
  expect(logged.filter((cause) => !listed.includes(cause))).toEqual([]);
});

test("documented log lines and messages are in the source", () => {
  const pages = ["docs/operations.md", "docs/runbooks.md", "docs/going-live.md"].map((page) =>
    readFileSync(page, "utf8"),
  );
  const lines = pages.join("\n").matchAll(/`((?:[Tt]he|[Aa]nother|No|a|log|spans) [^`\n]*)`/g);
  const ofReconciliation = pages.join("\n").matchAll(/(?<=^\| .*)\*([^*|]+)\*(?=.* \|)/gm);
  const quoted = [...lines, ...ofReconciliation].map(([, text = ""]) => text);
  expect(new Set(quoted).size).toBeGreaterThan(20);
  const sources = globSync("{lib,server,scripts}/**/*.ts")
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const parts = quoted.flatMap((text) => text.split(/ ?… ?/)).map((part) => part.replace(/\d+/g, "").trim());
  expect(parts.filter((part) => part.split("  ").some((words) => !sources.includes(words)))).toEqual([]);
});

test("distinguishes missing from existing paths", () => {
  const text =
    "See `lib/kit/log.ts`, `app/(partner)/callback` and [it](docs/no-such-page.md), not `lib/…` or `POST /v1/x`.";
  expect(namedPaths(text)).toEqual(["lib/kit/log.ts", "app/(partner)/callback", "docs/no-such-page.md"]);
});

/** Repository paths in backticks or links. */
function namedPaths(text: string): string[] {
  const paths = text.matchAll(new RegExp(`(?:\`|\\]\\()((?:${folders})/[\\w./()[\\]*-]*[\\w)\\]/])(?=\`|\\))`, "g"));
  return [...paths].map(([, path = ""]) => path);
}

// GitHub's heading anchors.
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function namesOfMetrics(text: string): string[] {
  return [...text.matchAll(/plainbook_[a-z_]+/g)].map(([name]) => name);
}
