import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { freePort } from "../scripts/embedded-postgres.ts";

const require = createRequire(import.meta.url);
const { version } = require("next/package.json") as { version: string };
const next = require.resolve("next/dist/bin/next");

/** An empty page on the same Next version, built once per version. */
export async function startEmptyPage(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = resolve(`.data/empty-page/${version}`);
  if (!existsSync(join(folder, ".next/BUILD_ID"))) build(folder);
  const port = await freePort();
  const server = spawn(process.execPath, [next, "start", "-p", String(port)], { cwd: folder, stdio: "pipe" });
  await new Promise<void>((ready, reject) => {
    server.stdout.on("data", (chunk: Buffer) => chunk.includes("Ready") && ready());
    server.once("exit", (code) => reject(new Error(`The empty page's server exited with ${code}.`)));
  });
  return { url: `http://localhost:${port}/`, stop: () => end(server) };
}

function build(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync("lab/bench/yardsticks/empty-page/app", join(folder, "app"), { recursive: true });
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" } as const;
  const { status, stderr } = spawnSync(process.execPath, [next, "build"], { cwd: folder, encoding: "utf8", env });
  if (status !== 0) throw new Error(`The empty page didn't build:\n${stderr}`);
}

function end(server: ChildProcess): Promise<void> {
  return new Promise((ended) => {
    server.removeAllListeners("exit").once("exit", () => ended());
    server.kill("SIGTERM");
  });
}
