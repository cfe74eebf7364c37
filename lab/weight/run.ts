import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { measureWalks, walkDefinition } from "./walks.ts";

// `npm run weight` prints the size of the project; `-- --files` also lists the files of each walk.

const images = /\.(?:png|jpe?g|gif|ico|svg|webp|woff2?)$/;
const source = /\.(?:tsx?|mjs|css)$/;
const tested = /\.test\.tsx?$|\/testing\//;

const tracked = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
const product = tracked.filter(
  (file) =>
    /^(?:(?:lib|components|app|server|brand)\/|server\.ts$)/.test(file) && source.test(file) && !tested.test(file),
);
const sourceLines = product.flatMap(linesOf);
const generatedDocuments = ["SUPPORTED.md", "docs/checks.md"];
const documents = tracked.filter((file) => file.endsWith(".md") && !generatedDocuments.includes(file));
// What `npm run bench` writes into docs/performance.md.
const generated = /<!-- Written by [\s\S]*?<!-- End of [^>]*-->/g;

const rows: [figure: string, value: number | string][] = [
  ["tracked files", tracked.length],
  [
    "tracked lines, without lock files and images",
    sum(
      tracked
        .filter((file) => !images.test(file) && !/package-lock\.json$/.test(file))
        .map((file) => linesOf(file).length),
    ),
  ],
  ["product source lines", sourceLines.length],
  [
    "comment lines, share of these",
    `${((100 * sourceLines.filter(isComment).length) / sourceLines.length).toFixed(1)} %`,
  ],
  [
    "files of 15 lines or fewer outside app/",
    product.filter((file) => !file.startsWith("app/") && linesOf(file).length <= 15).length,
  ],
  ["migrations of the service", count(/^lib\/service\/storage\/migrations\/\d+_.*\.sql$/)],
  ["decision records", count(/^docs\/decisions\/\d+-.*\.md$/)],
  [
    "words of hand-written documents",
    sum(documents.map((file) => wordsOf(readFileSync(file, "utf8").replace(generated, "")))),
  ],
  ["settings in .env.example", linesOf(".env.example").filter((line) => /^[A-Z_]+=/.test(line)).length],
];
for (const { name, files, instruments, climbs } of await measureWalks()) {
  rows.push([`files, ${name}`, `${files.length} ${countByApp(files)}`], [`climbs, ${name}`, climbs.length]);
  if (process.argv.includes("--files")) {
    const others = [...instruments.map((file) => `not counted: ${file}`), ...climbs.map((climb) => `climbs: ${climb}`)];
    process.stdout.write(`${name}:\n${[...files, ...others].map((line) => `  ${line}\n`).join("")}`);
  }
}
process.stdout.write(`${walkDefinition}\n`);
const width = Math.max(...rows.map(([figure]) => figure.length));
for (const [figure, value] of rows) process.stdout.write(`${figure.padEnd(width)}  ${value.toLocaleString("en-US")}\n`);
process.exit(0);

function countByApp(files: string[]): string {
  const apps = [
    ["Harbor", /^(?:lib|app|components)\/\(?partner/],
    ["service", /^(?:lib\/service|app\/\(service|components\/authorization)/],
  ] as const;
  const counted = apps.map(([app, pattern]) => ({
    app,
    count: files.filter((file) => pattern.test(file)).length,
  }));
  const shared = files.length - sum(counted.map(({ count }) => count));
  return `(${[...counted, { app: "shared", count: shared }].map(({ app, count }) => `${app} ${count}`).join(", ")})`;
}

function count(pattern: RegExp): number {
  return tracked.filter((file) => pattern.test(file)).length;
}

// Table bars and list markers aren't words.
function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

// Comment-only lines; formatted sources have no other lines that start like this.
function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|\{\/\*)/.test(line);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
