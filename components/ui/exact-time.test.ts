import { expect, test } from "vitest";
import { exactText } from "./exact-time.tsx";

test.each([
  ["2026-03-10T12:00:00.123Z", "Mar 10, 12:00:00.123 UTC"],
  ["2026-03-10T00:05:09.007Z", "Mar 10, 00:05:09.007 UTC"],
])("formats %s as %s", (at, text) => {
  expect(exactText(new Date(at), { timeZone: "UTC" })).toBe(text);
});
