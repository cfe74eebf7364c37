import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../testing/loaded-modules.ts";

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

test("a process that runs only workers tells what it counts, at a port of its own", async () => {
  const port = await freePort();
  const settings = { ROLES: "service-worker", METRICS_PORT: String(port), LISTEN_HOST: "0.0.0.0" };
  const worker = spawn(process.execPath, ["server.ts"], {
    env: { ...process.env, ...settings, NODE_ENV: "production", LOG_LEVEL: "silent" },
    stdio: "ignore",
  });
  child = worker;
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      () => ({ status: 0, text: "" }),
    );
  await expect.poll(async () => (await ask("/readyz")).status, { timeout: 40_000 }).toBe(200);
  const { text } = await ask("/metrics");
  expect(text).toContain("# TYPE plainbook_webhook_attempts_total counter");
  expect(text).toMatch(/^plainbook_pool_connections [1-9]/m);
  expect(text).toMatch(/^plainbook_encryption_key_age_seconds \d/m);
  const over = once(worker, "exit");
  worker.kill("SIGTERM");
  expect(await over).toEqual([0, null]);
}, 60_000);
