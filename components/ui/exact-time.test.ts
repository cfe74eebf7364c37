import { expect, test } from "vitest";
import { clockText, exactText } from "./exact-time.tsx";

test.each([
  ["2026-03-10T12:00:00.123Z", "Mar 10, 12:00:00.123 UTC"],
  ["2026-03-10T00:05:09.007Z", "Mar 10, 00:05:09.007 UTC"],
])("formats %s as %s", (at, text) => {
  expect(exactText(new Date(at), { timeZone: "UTC" })).toBe(text);
});

test.each([
  ["2026-03-10T14:41:59Z", "2:41 PM UTC"],
  ["2026-03-10T00:05:00Z", "12:05 AM UTC"],
  ["2026-03-09T23:59:00Z", "Mar 9, 11:59 PM UTC"],
])("on March 10, %s is %s on a clock", (at, text) => {
  expect(clockText(new Date(at), { today: new Date("2026-03-10T20:00:00Z"), timeZone: "UTC" })).toBe(text);
});
