import { expect, test } from "vitest";
import { nextAttemptDelayMs, retryAfterMsOf } from "./delivery-schedule.ts";

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
