import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnTied } from "./spawn-tied.ts";

const sources = [
  "app/**/*",
  "brand/**/*",
  "components/**/*",
  "lib/**/*",
  "public/**/*",
  "*.mjs",
  "instrumentation.ts",
  "package-lock.json",
  "tsconfig.json",
];

/**
 * Builds the pages into `folder`, unless the build there was made from exactly these sources.
 * @throws with the build's last output if it fails
 */
export async function ensureBuild(folder: string, say: (sentence: string) => void): Promise<void> {
  const stamp = join(folder, "built-from");
  const fingerprint = fingerprintOfSources();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint) return;
  say("Building the pages (only after a change; half a minute or so)");
  await build(folder);
  writeFileSync(stamp, fingerprint);
}

function fingerprintOfSources(): string {
  const hash = createHash("sha256");
  const paths = globSync(sources, { withFileTypes: true });
  const files = paths.filter((entry) => entry.isFile() && !entry.name.includes(".test."));
  for (const file of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function build(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawnTied("node_modules/next/dist/bin/next", ["build"], {
      ...process.env,
      NODE_ENV: "production",
      NEXT_DIST_DIR: folder,
      NEXT_TELEMETRY_DISABLED: "1",
    });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8000);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`The build failed:\n${output}`))));
  });
}
