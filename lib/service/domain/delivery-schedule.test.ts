import { afterEach, expect, test, vi } from "vitest";
import { createEndpointConcurrency, nextAttemptDelayMs, retryAfterMsOf } from "./delivery-schedule.ts";

const hourMs = 3_600_000;

test("ten attempts: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h", () => {
  const delays = Array.from({ length: 10 }, (_, index) => nextAttemptDelayMs(index + 1, { random: 0 }));
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hourMs);
  expect(delays).toEqual([5000, 300_000, 1_800_000, ...hours, undefined]);
});

test("jitter adds up to 10% to a delay and never shortens it", () => {
  expect(nextAttemptDelayMs(2, { random: 1 })).toBe(330_000);
  expect(nextAttemptDelayMs(2, { random: 0.5 })).toBe(315_000);
});

test("retry-after only lengthens a delay, to a day at most, and adds no attempt", () => {
  expect(nextAttemptDelayMs(1, { random: 0, retryAfterMs: 60_000 })).toBe(60_000);
  expect(nextAttemptDelayMs(2, { random: 0, retryAfterMs: 1000 })).toBe(300_000);
  expect(nextAttemptDelayMs(1, { random: 0, retryAfterMs: 1000 * hourMs })).toBe(24 * hourMs);
  expect(nextAttemptDelayMs(10, { random: 0, retryAfterMs: 1000 })).toBeUndefined();
});

test.each([
  ["120", 120_000],
  ["0", 0],
  ["Sat, 21 Nov 2026 10:00:30 GMT", 30_000],
  ["Sat, 21 Nov 2026 09:00:00 GMT", 0],
  ["-5", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("Retry-After %j is %j ms", (header, expected) => {
  expect(retryAfterMsOf(header, Date.parse("2026-11-21T10:00:00Z"))).toBe(expected);
});

const concurrency = () => createEndpointConcurrency({ most: 64, endpointsMax: 2 });
const later = () => performance.now() + 1;
afterEach(() => vi.useRealTimers());

test("a responding endpoint has no limit of its own", () => {
  const limiter = concurrency();
  limiter.speedUp("one", 10);
  expect(limiter.limitOf("one")).toBeUndefined();
});

test("a failed endpoint starts with a limit of one, which doubles with each round of prompt responses", () => {
  const limiter = concurrency();
  limiter.startOver("one");
  const rounds: (number | undefined)[] = [];
  for (let limit = limiter.limitOf("one"); limit !== undefined; limit = limiter.limitOf("one")) {
    rounds.push(limit);
    for (let answer = 0; answer < limit; answer++) limiter.speedUp("one", 10);
  }
  expect(rounds).toEqual([1, 2, 4, 8, 16, 32]);
});

test("unanswered attempts halve the limit once per round, and then it grows by one per round", () => {
  const limiter = concurrency();
  const sentAtMs = performance.now();
  for (let count = 0; count < 64; count++) limiter.slowDown("one", sentAtMs);
  expect(limiter.limitOf("one")).toBe(32);
  limiter.slowDown("one", later());
  expect(limiter.limitOf("one")).toBe(16);
  for (let answer = 0; answer < 17; answer++) limiter.speedUp("one", 10);
  expect(limiter.limitOf("one")).toBe(17);
});

test("setting the wall clock back doesn't keep the limit from falling", () => {
  const limiter = concurrency();
  vi.useFakeTimers({ toFake: ["Date"] });
  limiter.slowDown("one", later());
  vi.setSystemTime(Date.now() - hourMs);
  limiter.slowDown("one", later());
  expect(limiter.limitOf("one")).toBe(16);
});

test("slow responses let the limit grow by only one per round, even far below the last excessive limit", () => {
  const limiter = concurrency();
  limiter.startOver("one");
  for (let answer = 0; answer < 3; answer++) limiter.speedUp("one", 5000);
  expect(limiter.limitOf("one")).toBe(2);
});

test("a restart remembers the limit that was too high, and a single failed attempt doesn't replace it", () => {
  const limiter = concurrency();
  limiter.slowDown("one", later());
  limiter.startOver("one");
  limiter.slowDown("one", performance.now() + 10_000);
  expect(limiter.limitOf("one")).toBe(1);
  for (let answer = 0; answer < 64; answer++) limiter.speedUp("one", 10);
  expect(limiter.limitOf("one")).toBe(33);
});

test("only the most recent endpoints are remembered", () => {
  const limiter = concurrency();
  for (const clientId of ["one", "two", "one", "three"]) limiter.startOver(clientId);
  expect(limiter.clientIds()).toEqual(["one", "three"]);
});
