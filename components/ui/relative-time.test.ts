import { expect, test } from "vitest";
import { clockText } from "./exact-time.tsx";
import { exactUtc, relativeText } from "./relative-time.tsx";

const now = Date.parse("2026-03-10T12:00:00.000Z");

test.each([
  [0, "just now"],
  [-9_999, "just now"],
  [9_999, "in a moment"],
  [-10_000, "10 seconds ago"],
  [-59_999, "59 seconds ago"],
  [-60_000, "1 minute ago"],
  [-3_599_999, "59 minutes ago"],
  [-3_600_000, "1 hour ago"],
  [59_499, "in 59 seconds"],
  [59_500, "in 1 minute"],
  [3_599_000, "in 1 hour"],
  [7_195_000, "in 2 hours"],
  [7_200_000, "in 2 hours"],
  [86_399_000, "tomorrow"],
  [-86_399_999, "23 hours ago"],
  [-86_400_000, "yesterday"],
  [10 * 86_400_000, "in 10 days"],
  [-30 * 86_400_000, "Feb 8, 2026"],
])("%i ms from now reads %s, never rounding up the past", (differenceMs, text) => {
  expect(relativeText(new Date(now + differenceMs), now)).toBe(text);
});

test("an old date is the reader's own, as on the page with its clock time", () => {
  const evening = new Date("2026-01-10T03:00:00.000Z");
  expect(relativeText(evening, now)).toBe("Jan 9, 2026");
  expect(clockText(evening, { today: new Date(now) })).toBe("Jan 9, 7:00 PM");
});

test("formats the exact time without the local time zone", () => {
  expect(exactUtc(new Date(now))).toBe("2026-03-10 12:00 UTC");
});
