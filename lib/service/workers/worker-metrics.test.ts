import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../testing/loaded-modules.ts";

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

test("a worker process serves its metrics on its own port", async () => {
  const { worker, get } = await startProcess({ SERVICE_LISTEN: "0.0.0.0:4000" });
  await expect.poll(async () => (await get("/readyz")).status).toBe(200);
  const { text } = await get("/metrics");
  expect(text).toContain("# TYPE plainbook_webhook_attempts_total counter");
  expect(text).toMatch(/^plainbook_pool_connections [1-9]/m);
  expect(text).toMatch(/^plainbook_encryption_key_age_seconds \d/m);
  expect(text).toMatch(/^gangway_log_lines_dropped_total 0$/m);
  expect(text).toMatch(/^gangway_clock_difference_seconds\{app="service"\} -?\d\./m);
  const over = once(worker, "exit");
  worker.kill("SIGTERM");
  expect(await over).toEqual([0, null]);
});

test("a process whose clock is two minutes fast is alive but not ready, and its metrics show it", async () => {
  const { get } = await startProcess({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(twoMinutesFast)}`,
  });
  await expect.poll(async () => (await get("/healthz")).status).toBe(200);
  expect(await get("/readyz")).toMatchObject({ status: 503 });
  expect((await get("/metrics")).text).toMatch(/^gangway_clock_difference_seconds\{app="service"\} 1[12]\d\./m);
});

test("a process keeps answering while its output is not read", async () => {
  const apiUrl = `http://127.0.0.1:${await freePort()}`;
  const settings = { ROLES: "service-api", SERVICE_BASE_URL: apiUrl, SERVICE_AUTH_URL: apiUrl, LOG_LEVEL: "info" };
  const { get } = await startProcess({ ...settings, LOG_FILE: "" }, "pipe");
  await expect.poll(async () => (await get("/readyz")).status).toBe(200);
  // More lines than the pipe and Node's buffer hold.
  for (let times = 0; times < 40; times++) {
    await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${apiUrl}/v1/user`, { signal: AbortSignal.timeout(10_000) })),
    );
  }
  expect(await get("/healthz")).toMatchObject({ status: 200 });
});

const twoMinutesFast = "const now = Date.now; Date.now = () => now() + 120000;";

async function startProcess(settings: Record<string, string>, stdout: "ignore" | "pipe" = "ignore") {
  const port = await freePort();
  const worker = spawn(process.execPath, ["server.ts"], {
    env: {
      ...process.env,
      ROLES: "service-worker",
      METRICS_LISTEN: String(port),
      NODE_ENV: "production",
      LOG_LEVEL: "silent",
      ...settings,
    },
    stdio: ["ignore", stdout, "ignore"],
  });
  child = worker;
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      () => ({ status: 0, text: "" }),
    );
  return { worker, get };
}
