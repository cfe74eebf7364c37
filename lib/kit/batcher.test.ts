import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bisect, createBatcher } from "./batcher.ts";

/** A `run` that holds every set until released. */
function heldRun() {
  const sets: number[][] = [];
  const releases: (() => void)[] = [];
  const run = async (set: number[]) => {
    sets.push(set);
    await new Promise<void>((release) => releases.push(release));
    return set.map((value) => value * 10);
  };
  return { run, sets, releases };
}

const nextLoopTick = () => new Promise((resolve) => setImmediate(resolve));

test("calls that arrive while sets are in flight form the next set, in order of arrival", async () => {
  const { run, sets, releases } = heldRun();
  const call = createBatcher({ run, inFlightMax: 1 });
  const first = call(1);
  await nextLoopTick();
  const rest = [call(2), call(3), call(4)];
  await nextLoopTick();
  expect(sets).toEqual([[1]]);

  releases[0]?.();
  expect(await first).toBe(10);
  await nextLoopTick();
  releases[1]?.();
  expect(await Promise.all(rest)).toEqual([20, 30, 40]);
  expect(sets).toEqual([[1], [2, 3, 4]]);
});

test("calls in one event-loop tick share a set, up to the maximum size", async () => {
  const sets: number[][] = [];
  const call = createBatcher<number, number>({
    run: async (set) => {
      sets.push(set);
      return set;
    },
    sizeMax: 2,
  });
  expect(await Promise.all([1, 2, 3, 4, 5].map(call))).toEqual([1, 2, 3, 4, 5]);
  expect(sets).toEqual([[1, 2], [3, 4], [5]]);
});

test("limits the sets in flight", async () => {
  const { run, sets, releases } = heldRun();
  const call = createBatcher({ run, inFlightMax: 2, sizeMax: 1 });
  const answers = [1, 2, 3].map(call);
  await nextLoopTick();
  await nextLoopTick();
  expect(sets.length).toBe(2);
  releases[0]?.();
  await answers[0];
  await nextLoopTick();
  expect(sets.length).toBe(3);
  for (const release of releases) release();
  await Promise.all(answers);
});

describe("a slow set", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("frees its slot; a fourth slow one doesn't", async () => {
    const { run, sets, releases } = heldRun();
    const call = createBatcher({ run, inFlightMax: 1, sizeMax: 1, slowAfterMs: 20 });
    const answers = [1, 2, 3, 4, 5].map(call);
    for (const under of [1, 2, 3, 4, 4]) {
      await nextLoopTick();
      expect(sets).toHaveLength(under);
      vi.advanceTimersByTime(19);
      await nextLoopTick();
      expect(sets).toHaveLength(under);
      vi.advanceTimersByTime(1);
    }
    releases[3]?.();
    await answers[3];
    await nextLoopTick();
    expect(sets).toHaveLength(5);
    for (const release of releases) release();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
  });

  test("frees no second slot when it ends", async () => {
    const { run, sets, releases } = heldRun();
    const call = createBatcher({ run, inFlightMax: 1, sizeMax: 1, slowAfterMs: 20 });
    const answers = [1, 2, 3].map(call);
    await nextLoopTick();
    vi.advanceTimersByTime(20);
    await nextLoopTick();
    releases[0]?.();
    await answers[0];
    await nextLoopTick();
    expect(sets).toEqual([[1], [2]]);
    releases[1]?.();
    await answers[1];
    await nextLoopTick();
    releases[2]?.();
    expect(await answers[2]).toBe(30);
  });
});

test("a failed set rejects only its own calls", async () => {
  let isBroken = true;
  const call = createBatcher<number, number>({
    run: async (set) => {
      if (isBroken) throw new Error("broken");
      return set;
    },
  });
  await expect(Promise.all([call(1), call(2)])).rejects.toThrow("broken");
  isBroken = false;
  expect(await call(3)).toBe(3);
});

test("a set with a missing outcome fails, instead of answering the wrong call", async () => {
  const call = createBatcher<number, number>({ run: async (set) => set.slice(1) });
  await expect(Promise.all([call(1), call(2)])).rejects.toThrow("one outcome per request");
});

test("sets in flight never share a name, and a call that waits for a name doesn't delay others", async () => {
  const { run, sets, releases } = heldRun();
  const call = createBatcher({ run, inFlightMax: 2, nameOf: (value) => String(value % 2) });
  const answers = [call(1)];
  await nextLoopTick();
  answers.push(call(3), call(2), call(5));
  await nextLoopTick();
  expect(sets).toEqual([[1], [2]]);
  releases[0]?.();
  await answers[0];
  await nextLoopTick();
  expect(sets).toEqual([[1], [2], [3, 5]]);
  for (const release of releases) release();
  expect(await Promise.all(answers)).toEqual([10, 30, 20, 50]);
  await nextLoopTick();
  await nextLoopTick();
  expect(sets).toEqual([[1], [2], [3, 5]]);
});

test("a set that runs concurrently with another keeps to the maximum size, and no call runs twice", async () => {
  const { run, sets, releases } = heldRun();
  const call = createBatcher({ run, inFlightMax: 2, sizeMax: 2, nameOf: String });
  const answers = [call(1)];
  await nextLoopTick();
  answers.push(call(2), call(3), call(4));
  await nextLoopTick();
  releases[1]?.();
  await answers[1];
  await nextLoopTick();
  for (const release of releases) release();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40]);
  expect(sets).toEqual([[1], [2, 3], [4]]);
});

test("a late outcome doesn't delay other calls, but its set stays in flight until it settles", async () => {
  const late = Promise.withResolvers<number>();
  const sets: number[][] = [];
  const call = createBatcher<number, number>({
    run: async (set) => {
      sets.push(set);
      return set.map((value) => (value === 2 ? late.promise : value));
    },
    inFlightMax: 1,
  });
  const answers = [call(1), call(2)];
  expect(await answers[0]).toBe(1);
  const next = call(3);
  await nextLoopTick();
  expect(sets).toEqual([[1, 2]]);
  late.reject(new Error("late and broken"));
  await expect(answers[1]).rejects.toThrow("late and broken");
  expect(await next).toBe(3);
});

const isBad = (item: number) => item % 7 === 0;

async function attempt(items: number[]): Promise<number[]> {
  if (items.some(isBad)) throw Object.assign(new Error("numeric value out of range"), { code: "22003" });
  return items;
}

test("a set without a rejected row is one attempt", async () => {
  let attempts = 0;
  const counting = (items: number[]) => {
    attempts++;
    return attempt(items);
  };
  expect(await bisect([1, 2, 3], counting)).toEqual({ done: [[1, 2, 3]], failed: [] });
  expect(attempts).toBe(1);
});

test("all items except the rejected ones run once, in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), async (items) => {
      const { done, failed } = await bisect(items, attempt);
      expect(done.flat()).toEqual(items.filter((item) => !isBad(item)));
      expect(failed.map(({ item }) => item)).toEqual(items.filter(isBad));
    }),
  );
});

test("an error that isn't about a row fails the whole set", async () => {
  let attempts = 0;
  const lost = async () => {
    attempts++;
    throw new Error("Connection terminated");
  };
  await expect(bisect([1, 2, 3], lost)).rejects.toThrow("Connection terminated");
  expect(attempts).toBe(1);
});
