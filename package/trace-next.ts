import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

type Trace = (
  files: string[],
  options: { base: string; processCwd: string; mixedModules: boolean; ignore: string[] },
) => Promise<{ fileList: Set<string> }>;

const dist = "node_modules/next/dist";
// The configuration looks up the compiler's modules, although built pages don't need them.
const entries = [
  "server/next.js",
  "server/next-server.js",
  ...globSync("compiled/webpack/*.js", { cwd: dist }),
  "compiled/@babel/runtime/package.json",
];
// Only needed to serve pages in development, compile them or resize images.
const ignored = [
  "**/*.{map,d.ts}",
  "**/*.{development,dev}.js",
  "**/next/dist/{build/swc,docs,lib/upgrade}/**",
  "**/next/dist/server/lib/router-utils/setup-dev-bundler.js",
  "**/node_modules/{@img,@opentelemetry,sharp}/**",
];

/**
 * The files that Next.js loads in production, found by its own bundled tracer. `pages`: the folder of the built pages, which
 * name some of them.
 */
export async function traceNext(pages: string): Promise<string[]> {
  const { nodeFileTrace } = createRequire(import.meta.url)("next/dist/compiled/@vercel/nft") as {
    nodeFileTrace: Trace;
  };
  const named = globSync("server/**/*.js", { cwd: pages }).flatMap((file) =>
    [...readFileSync(join(pages, file), "utf8").matchAll(/"next\/dist\/([^"]+\.js)"/g)].map(([, name = ""]) => name),
  );
  const { fileList } = await nodeFileTrace(
    [...new Set([...entries, ...named])].map((file) => join(dist, file)),
    { base: resolve("."), processCwd: resolve("."), mixedModules: true, ignore: ignored },
  );
  return [...fileList].filter((file) => file.startsWith("node_modules/"));
}
