import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { freePort } from "../scripts/embedded-postgres.ts";
import { settingsOf } from "./running-demo.ts";

// `npm run demo` starts, stops on Ctrl-C, and recovers after a hard kill.

let folder: string;
let settings: NodeJS.ProcessEnv;
const running = new Set<ChildProcess>();
test.beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gangway-demo-"));
  // Under root, the database runs as another user.
  chmodSync(folder, 0o755);
  const [partnerUrl, serviceUrl] = [`http://localhost:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  settings = { ...settingsOf({ folder, partnerUrl, serviceUrl }), PATH: process.env["PATH"] };
});
test.afterEach(async () => {
  for (const demo of running) await stop(demo, "SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

test("the demo starts, recovers after kill -9, and stops with its database on Ctrl-C", async () => {
  const { demo: first, greeting } = await startDemo();
  expect(greeting).toContain(`${settings["SERVICE_BASE_URL"]}/console`);
  expect((await fetch(settings["PARTNER_BASE_URL"] ?? "")).status).toBe(200);
  const database = readDatabasePid();
  await stop(first, "SIGKILL");
  expect(isRunning(), "PostgreSQL outlives the killed demo").toBe(true);

  const { demo: second } = await startDemo();
  expect(readDatabasePid(), "the next start adopts it").toBe(database);
  expect((await fetch(settings["PARTNER_BASE_URL"] ?? "")).status).toBe(200);
  await stop(second, "SIGINT");
  expect(isRunning(), "Ctrl-C ends PostgreSQL too").toBe(false);
});

test("a taken port is reported in one sentence, and nothing starts", async () => {
  const taken = createServer();
  const { port } = new URL(settings["SERVICE_BASE_URL"] ?? "");
  await new Promise<void>((done) => taken.listen(Number(port), "127.0.0.1", done));
  const { code, output } = await runUntilExit();
  taken.close();
  expect(code).toBe(1);
  expect(output.trim()).toMatch(new RegExp(`^Port ${port} is in use, and .* needs it: .*\\.$`));
});

function spawnDemo(): ChildProcess {
  const demo = spawn(process.execPath, ["scripts/run.mjs", "scripts/demo.ts"], {
    env: settings,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(demo);
  demo.once("exit", () => running.delete(demo));
  return demo;
}

function startDemo(): Promise<{ demo: ChildProcess; greeting: string }> {
  const demo = spawnDemo();
  return new Promise((resolve, reject) => {
    let output = "";
    demo.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Ctrl-C stops everything")) resolve({ demo, greeting: output });
    });
    demo.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    demo.once("exit", () => reject(new Error(output)));
  });
}

function runUntilExit(): Promise<{ code: number | null; output: string }> {
  const demo = spawnDemo();
  let output = "";
  demo.stderr?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve) => {
    demo.once("close", (code) => resolve({ code, output }));
  });
}

function stop(demo: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    demo.once("exit", () => resolve());
    demo.kill(signal);
  });
}

// PostgreSQL's pid file; its first line is the process id.
const pidFile = () => join(folder, "demo/data/postmaster.pid");

function isRunning(): boolean {
  return existsSync(pidFile());
}

function readDatabasePid(): number {
  return Number(readFileSync(pidFile(), "utf8").split("\n")[0]);
}
