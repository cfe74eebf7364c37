import { expect, test } from "vitest";
import { clockText, exactText } from "./exact-time.tsx";

const today = new Date("2026-03-10T20:00:00Z");

test.each([
  ["2026-03-10T12:00:00.123Z", "Mar 10, 12:00:00.123 UTC"],
  ["2025-03-10T12:00:00.123Z", "Mar 10, 2025, 12:00:00.123 UTC"],
  ["2026-03-10T00:05:09.007Z", "Mar 10, 00:05:09.007 UTC"],
])("formats %s as %s", (at, text) => {
  expect(exactText(new Date(at), { today, timeZone: "UTC" })).toBe(text);
});

test.each([
  ["2026-03-10T14:41:59Z", "2:41 PM UTC"],
  ["2026-03-10T00:05:00Z", "12:05 AM UTC"],
  ["2026-03-09T23:59:00Z", "Mar 9, 11:59 PM UTC"],
  ["2025-03-10T14:41:59Z", "Mar 10, 2025, 2:41 PM UTC"],
])("on March 10, %s is %s on a clock", (at, text) => {
  expect(clockText(new Date(at), { today, timeZone: "UTC" })).toBe(text);
});

test("on paper, today has its date too", () => {
  expect(clockText(today, { today, timeZone: "UTC", isDated: true })).toBe("Mar 10, 2026, 8:00 PM UTC");
});
