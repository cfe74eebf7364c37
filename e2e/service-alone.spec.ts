import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "@playwright/test";
import { basicCredentials } from "../lib/kit/testing/basic-credentials.ts";
import { freePort } from "../scripts/embedded-postgres.ts";
import { type RunningCommand, startCommand } from "./running-service.ts";
import { callService } from "./service-api.ts";

// `npm run service`: one JSON line for programs, readable messages for people, persistent data, and a clean stop.

// Creating a database is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

const running = new Set<RunningCommand>();
let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-service-"));
  // Under root, the database runs as another user.
  chmodSync(folder, 0o755);
});
test.afterEach(async () => {
  for (const command of running) command.child.kill("SIGTERM");
  for (const { ended } of running) await ended;
  running.clear();
  rmSync(folder, { recursive: true, force: true });
});

const data = () => join(folder, "books");
const databaseRuns = () => existsSync(join(data(), "data/postmaster.pid"));

test("one line of JSON has all a program needs; data persists, settings are per start, and it stops with its database", async () => {
  const first = service("--port=0", `--data=${data()}`, "--redirect-uri=http://localhost:8080/back");
  const ready = await first.ready;
  expect(ready).toMatchObject({
    client_id: "demo-client",
    redirect_uris: ["http://localhost:8080/back"],
    webhook_url: null,
    data: data(),
  });
  const authorization = basicCredentials(ready["client_id"] ?? "", ready["client_secret"] ?? "");
  const accounts = async (url: string) => {
    const ledger = await callService(url, { authorization, method: "GET", path: "/sandbox/ledger" });
    return ledger["accounts"] as { id: string; user_id: string | null }[];
  };
  const owned = (await accounts(ready["base_url"] ?? "")).find(({ user_id }) => user_id === ready["business_user_id"]);
  expect(owned, "the business has its account").toBeDefined();
  expect((await fetch(`${ready["auth_url"]}/login/oauth/authorize`)).status, "the pages are there").toBe(400);
  expect((await fetch(`${ready["base_url"]}/sign-in`)).status, "nothing of Harbor is").toBe(404);

  const second = service("--port=0", `--data=${data()}`);
  expect(await second.ended, "one data folder, one process").toBe(1);
  expect(second.output).toEqual({
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(`The data in ${data()} is in use by process ${first.child.pid}, .*end that one first.\n$`),
    ),
  });

  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  expect(databaseRuns(), "kill ends PostgreSQL too").toBe(false);
  expect(first.output.stdout.trim().split("\n"), "nothing else is on standard output").toHaveLength(1);
  expect(first.output.stderr).toContain("Plainbook runs");
  expect(first.output.stderr).toContain(` ${ready["auth_url"]}/console `);

  const third = service("--port=0", `--data=${data()}`, "--client-name=The Shop");
  const again = await third.ready;
  expect(again, "options are not remembered, ids and secrets stay").toEqual({
    ...ready,
    redirect_uris: ["http://localhost:3000/callback"],
    base_url: again["base_url"],
    auth_url: again["auth_url"],
  });
  expect((await accounts(again["base_url"] ?? "")).map(({ id }) => id)).toContain(owned?.id);
  third.child.kill("SIGINT");
  expect(await third.ended).toBe(0);
  expect(databaseRuns(), "Ctrl-C ends PostgreSQL too").toBe(false);
});

test("kill during startup stops it with its database", async () => {
  const command = service("--port=0", `--data=${data()}`);
  await expect.poll(databaseRuns, { timeout: 60_000 }).toBe(true);
  command.child.kill("SIGTERM");
  expect(await command.ended).toBe(0);
  expect(databaseRuns()).toBe(false);
  expect(command.output.stdout).toBe("");
});

test("a taken port, a wrong option, and a foreign folder are each reported in one sentence, and nothing starts", async () => {
  const port = await freePort();
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(port, "127.0.0.1", done));
  const busy = service(`--port=${port}`, `--data=${data()}`);
  expect(await busy.ended).toBe(1);
  expect(busy.output.stderr.trim()).toBe(
    `Port ${port} is in use, and http://127.0.0.1:${port} needs it: stop the program that holds it, or choose another one with --port.`,
  );
  taken.close();

  const wrong = service("--prot=4000");
  expect(await wrong.ended).toBe(1);
  expect(wrong.output.stderr).toMatch(/^--prot=4000 is no option; the options are --port, .*\.\n$/);

  writeFileSync(join(folder, "letters.txt"), "dear");
  const foreign = service("--port=0", `--data=${folder}`);
  expect(await foreign.ended).toBe(1);
  expect(foreign.output.stderr.trim()).toMatch(/^\S+ holds other files: --data names a folder .*\.$/);

  for (const { output } of [busy, wrong, foreign]) expect(output.stdout).toBe("");
  expect(existsSync(data())).toBe(false);
});

test("stops with its database when its parent process is killed", async () => {
  const program = join(folder, "starts-it.mjs");
  const options = [resolve("scripts/service.ts"), "--port=0", `--data=${data()}`];
  writeFileSync(
    program,
    `import { spawn } from "node:child_process";
    const env = { ...process.env, NEXT_DIST_DIR: ".next-test" };
    const child = spawn(process.execPath, ${JSON.stringify(options)}, { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    child.stderr.resume();
    child.stdout.once("data", () => process.stdout.write(String(child.pid), () => process.kill(process.pid, "SIGKILL")));`,
  );
  const { stdout } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(0);
  const isRunning = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  try {
    await expect.poll(isRunning, { timeout: 15_000 }).toBe(false);
    expect(databaseRuns()).toBe(false);
  } finally {
    if (isRunning()) process.kill(pid, "SIGKILL");
  }
});

function service(...words: string[]): RunningCommand {
  const parameters = ["scripts/run.mjs", "scripts/service.ts", ...words];
  const command = startCommand(process.execPath, parameters, { env: { NEXT_DIST_DIR: ".next-test" } });
  running.add(command);
  return command;
}
