import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../scripts/embedded-postgres.ts";
import { seedClientAt } from "../scripts/test-stack.ts";

export type RunningDemo = { partnerUrl: string; serviceUrl: string; stop: () => Promise<void> };

/** Runs `npm run demo` on free ports with its own data folder. */
export async function startDemo(): Promise<RunningDemo> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-demo-"));
  // Under root, the database runs as another user.
  chmodSync(folder, 0o755);
  const [partnerUrl, serviceUrl] = [`http://localhost:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const demo = spawn(process.execPath, ["scripts/run.mjs", "scripts/demo.ts"], {
    env: {
      ...settingsOf({ folder, partnerUrl, serviceUrl }),
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await untilPrinted(demo, "Nils and Ada are onboarded");
  return { partnerUrl, serviceUrl, stop: () => end(demo, folder) };
}

export function settingsOf({
  folder,
  partnerUrl,
  serviceUrl,
}: {
  folder: string;
  partnerUrl: string;
  serviceUrl: string;
}) {
  return {
    NODE_ENV: "production" as const,
    NEXT_DIST_DIR: ".next-test",
    DATA_FOLDER: folder,
    PARTNER_BASE_URL: partnerUrl,
    PARTNER_SERVICE_BASE_URL: serviceUrl,
    PARTNER_SERVICE_AUTH_URL: serviceUrl,
    SERVICE_BASE_URL: serviceUrl,
    SERVICE_SEED_CLIENT: seedClientAt(partnerUrl),
  };
}

function untilPrinted(demo: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [demo.stdout, demo.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes(words)) resolve();
      });
    }
    demo.once("exit", () => reject(new Error(output)));
  });
}

function end(demo: ChildProcess, folder: string): Promise<void> {
  return new Promise((resolve) => {
    demo.removeAllListeners("exit");
    demo.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
      resolve();
    });
    demo.kill("SIGINT");
  });
}
