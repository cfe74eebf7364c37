import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect } from "vitest";

/** Production settings, over those of `.env.example`. */
export function productionSettings(): Record<string, string> {
  const seeds = Object.keys(parseEnv(readFileSync(".env.example", "utf8"))).filter((name) => name.includes("_SEED_"));
  return {
    ...Object.fromEntries(seeds.map((name) => [name, ""])),
    SERVICE_MODE: "production",
    SERVICE_ENCRYPTION_KEYS: `own-1:${randomBytes(32).toString("base64")}`,
    SERVICE_FINGERPRINT_KEY: randomBytes(32).toString("hex"),
  };
}

/** Starts a role as an operator does, and returns the modules it has loaded. */
export async function modulesOf(role: string, settings: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-modules-"));
  let child: ChildProcess | undefined;
  try {
    const url = `http://127.0.0.1:${await freePort()}`;
    const notes = join(folder, "loaded");
    child = spawn(process.execPath, ["--import", "./lib/service/testing/note-loaded-modules.ts", "server.ts"], {
      env: {
        ...process.env,
        ...settings,
        NODE_ENV: "production",
        ROLES: role,
        LOG_LEVEL: "silent",
        SERVICE_BASE_URL: url,
        SERVICE_AUTH_URL: url,
        LOADED_MODULES_FILE: notes,
      },
      stdio: "ignore",
    });
    const { signal, done } = isOver(child);
    await expect.poll(() => signal.aborted || isReady(url), { interval: 50 }).toBe(true);
    child.kill("SIGTERM");
    await done;
    return existsSync(notes) ? readFileSync(notes, "utf8").split("\n") : [];
  } finally {
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

function isOver(process: ChildProcess): { signal: AbortSignal; done: Promise<unknown> } {
  const over = new AbortController();
  const done = once(process, "exit").then(() => over.abort());
  return { signal: over.signal, done };
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/openapi.json`).then(
    ({ ok }) => ok,
    () => false,
  );
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
