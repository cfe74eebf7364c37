import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { listenTo, stalledLoops, startWakeLoop, type WakeLoopOptions } from "./wake-loop.ts";

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

// If failures were reported twice, each outage would double the attempts until they exhaust the database's connections.
test("a failed attempt to listen throws and does not report a lost connection", async () => {
  server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const databaseUrl = `postgres://user@127.0.0.1:${port}/nothing`;
  const calls: string[] = [];
  const record = (call: string) => () => void calls.push(call);
  const attempt = listenTo(
    { databaseUrl, channel: "test" },
    { onConnect: record("connect"), onNotify: record("notify"), onLost: record("lost") },
  );

  await expect(attempt).rejects.toThrow();
  expect(calls).toEqual([]);
});

const hang = () => new Promise<undefined>(() => {});

async function progressAndFail(_stopping: AbortSignal, progress: () => void): Promise<never> {
  progress();
  throw new Error("a test");
}

async function progressEach10Ms(stopping: AbortSignal, progress: () => void): Promise<undefined> {
  for (; !stopping.aborted; await delay(10)) progress();
}

test.each<[string, WakeLoopOptions["work"], boolean]>([
  ["hangs", hang, true],
  ["makes progress", progressEach10Ms, false],
  ["makes progress and fails each time", progressAndFail, true],
  ["fails each time", () => Promise.reject(new Error("a test")), true],
  ["finds nothing", async () => undefined, false],
])("a loop is late only if its polls hang or fail: a poll that %s", async (name, work, isLate) => {
  const loop = startWakeLoop({ name, work, pollMs: 20, retryMs: 5 });
  const startedAt = performance.now();
  const lateness = () => stalledLoops().find(([loopName]) => loopName === name)?.[1] ?? Number.NaN;
  await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(600);
  if (isLate) expect(lateness()).toBeGreaterThan(0.5);
  else await expect.poll(lateness).toBeLessThan(0.5);
  if (name === "hangs") return;
  const successor = startWakeLoop({ name, work, pollMs: 20, retryMs: 5 });
  await loop.stop();
  expect(lateness()).not.toBeNaN();
  await successor.stop();
  // A loop that was stopped isn't late.
  expect(lateness()).toBeNaN();
});
