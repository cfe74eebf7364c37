import { setImmediate as nextLoopTick } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createDueWork } from "./due-work.ts";

test("beyond the limit, the next items start as soon as one ends", async () => {
  const due = ["one", "two", "three"];
  const ends = new Map<string, () => void>();
  const { startDue, drain } = createDueWork<string>({
    inFlightMax: 2,
    claim: async (limit) => due.splice(0, limit),
    work: (item) => new Promise((resolve) => void ends.set(item, resolve)),
    findNextMs: async () => 70,
  });
  const waiting = startDue();
  await expect.poll(() => [...ends.keys()]).toEqual(["one", "two"]);
  ends.get("two")?.();
  expect(await waiting).toBe(0);
  const full = startDue();
  await expect.poll(() => [...ends.keys()]).toEqual(["one", "two", "three"]);
  ends.get("one")?.();
  expect([await full, await startDue()]).toEqual([0, 70]);
  const drained = vi.fn();
  const draining = drain().then(drained);
  await nextLoopTick();
  expect(drained).not.toHaveBeenCalled();
  ends.get("three")?.();
  await draining;
});

test("a failure is reported at once, and fails only the next start", async () => {
  const due = ["broken", "sound"];
  const done: string[] = [];
  const onFailed = vi.fn();
  const { startDue, drain } = createDueWork<string>({
    inFlightMax: 2,
    claim: async (limit) => due.splice(0, Math.min(limit, 1)),
    work: async (item) => {
      if (item === "broken") throw new Error("The database is down.");
      done.push(item);
    },
    findNextMs: async () => undefined,
    onFailed,
  });
  await startDue();
  await drain();
  expect(onFailed).toHaveBeenCalledOnce();
  await expect(startDue()).rejects.toThrow("The database is down.");
  expect(done).toEqual([]);
  await startDue();
  await drain();
  expect([done, onFailed.mock.calls.length]).toEqual([["sound"], 1]);
});

test("an item that another session has locked isn't claimed again at once", async () => {
  const { startDue } = createDueWork({
    inFlightMax: 2,
    claim: async () => [],
    work: async () => {},
    findNextMs: async () => 0,
  });
  expect(await startDue()).toBeGreaterThan(0);
});
