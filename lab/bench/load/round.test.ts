import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runAtRate, runClosedLoop } from "./round.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

const takes = (milliseconds: () => number) => async () => {
  await new Promise((done) => setTimeout(done, milliseconds()));
  return true;
};

async function finish<T>(running: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(60_000);
  return running;
}

test("a closed loop counts only work finished in the measured time", async () => {
  const actors = [takes(() => 100), takes(() => 100)];
  const round = await finish(runClosedLoop(actors, { warmUpSeconds: 1, seconds: 2 }));
  // Two actors at ten per second; the two answers at the very end are late.
  expect(round).toMatchObject({ count: 40, late: 2, perSecond: 20, errors: 0, p50Ms: 100, p99Ms: 100 });
});

test("wrong answers and throws are errors and don't count", async () => {
  const actors = [
    async () => {
      await new Promise((done) => setTimeout(done, 100));
      throw new Error("503 busy");
    },
  ];
  const round = await finish(runClosedLoop(actors, { warmUpSeconds: 0, seconds: 1 }));
  expect(round).toMatchObject({ perSecond: 0, count: 0, firstError: "503 busy" });
  expect(round.errors).toBeGreaterThan(8);
});

test("at a fixed rate, a pause affects everything it delays", async () => {
  let number = 0;
  // One in a hundred takes a second and delays those after it on the same actor.
  const actor = takes(() => (++number === 10 ? 1000 : 1));
  const round = await finish(runAtRate([actor], { warmUpSeconds: 0, seconds: 10, perSecond: 10 }));
  expect(round.count).toBe(100);
  expect(round.worstMs).toBe(1000);
  expect(round.p99Ms).toBeGreaterThan(900);
  expect(round.p50Ms).toBeLessThan(5);
});

test("a fixed rate starts exactly the requested amount of work", async () => {
  const actors = [takes(() => 1), takes(() => 1)];
  const round = await finish(runAtRate(actors, { warmUpSeconds: 1, seconds: 4, perSecond: 50 }));
  expect(round.count).toBe(200);
  expect(round.perSecond).toBe(50);
});
