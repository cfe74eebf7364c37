import { afterEach, beforeEach, expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { terminateBackends } from "./faults.ts";
import { randomFrom } from "./random.ts";
import { type CrashRun, settle, startCrashRun } from "./run-crash.ts";
import { nothingFound, repeatWith, testSeed } from "./testing.ts";

let run: CrashRun;
beforeEach(async () => {
  run = await startCrashRun({ apis: 1, clientCount: 2 });
});
afterEach(() => run.stop());

test("backends terminated 100 times under load: no process exits, no pool slot leaks, each failure is 503", async () => {
  const seed = testSeed();
  const random = randomFrom(seed, "terminations");
  const { stack, progress, receiver } = run;
  const load = run.startLoad({ seed, hotBookers: 6, otherBookers: 3, creators: 2 });
  let terminated = 0;
  for (let times = 0; times < 100; times++) {
    await progress.bookings(random.integer(1, 3));
    terminated += await terminateBackends([...stack.apis, stack.worker]);
    expect([...stack.apis, stack.worker].flatMap(({ endings }) => endings)).toEqual([]);
  }
  await progress.serving(["api-1"], Date.now());
  await load.stop();
  await settle({ awaitsLeases: false });

  expect(terminated).toBeGreaterThan(100);
  expect([...stack.apis, stack.worker].flatMap(({ endings }) => endings)).toEqual([]);
  expect(await checkHistory(load, receiver.deliveries), repeatWith(seed)).toEqual(nothingFound);
  // All pool connections are returned, and nothing waits.
  await expect.poll(readPool).toEqual({ busy: 0, waiting: 0 });
});

async function readPool(): Promise<{ busy: number; waiting: number }> {
  const text = await (await fetch(`${run.stack.apis[0]?.url}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  return {
    busy: read("plainbook_pool_connections") - read("plainbook_pool_idle_connections"),
    waiting: read("plainbook_pool_waiting"),
  };
}
