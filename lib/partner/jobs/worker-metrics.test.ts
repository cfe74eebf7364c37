import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { listenOnFreePort } from "../../kit/testing/http-listener.ts";

test("a worker of Harbor whose clock is two minutes slow is alive but not ready, and its metrics show it", async () => {
  const listener = await listenOnFreePort(() => {});
  await listener.stop();
  const twoMinutesSlow = encodeURIComponent("const now = Date.now; Date.now = () => now() - 120000;");
  const worker = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=data:text/javascript,${twoMinutesSlow}`,
      ROLES: "partner-worker",
      METRICS_LISTEN: new URL(listener.url).port,
      NODE_ENV: "production",
      LOG_LEVEL: "silent",
    },
    stdio: "ignore",
  });
  onTestFinished(() => void worker.kill("SIGKILL"));
  const get = (path: string) =>
    fetch(`${listener.url}${path}`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      () => ({ status: 0, text: "" }),
    );
  await expect.poll(async () => (await get("/healthz")).status).toBe(200);
  expect(await get("/readyz")).toMatchObject({ status: 503 });
  const { text } = await get("/metrics");
  expect(text).toMatch(/^gangway_clock_difference_seconds\{app="partner"\} -1[12]\d\./m);
  expect(text).toMatch(/^gangway_log_lines_dropped_total 0$/m);
  expect(text).toMatch(/^gangway_build_info\{version="\d+\.\d+\.\d+",roles="partner-worker",node="v\d+.*"\} 1$/m);
  for (const name of ["harbor_pool_connections", "harbor_pool_idle_connections", "harbor_pool_waiting"])
    expect(text).toMatch(new RegExp(`^${name} \\d+$`, "m"));
  expect(text).toMatch(/^gangway_messages_waiting\{app="partner"\} 0$/m);
});
