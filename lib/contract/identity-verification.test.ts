import { expect, test } from "vitest";
import { isSamePhone } from "./identity-verification.ts";

test.each([
  ["+1 (415) 555-0123", "+14155550123", true],
  ["4155550123", "+14155550123", true],
  ["0014155550123", "+14155550123", true],
  ["14155550123", "+14155550123", true],
  ["+14155550124", "+14155550123", false],
  ["+444155550123", "+14155550123", false],
  ["5550123", "+14155550123", false],
  ["", "", false],
])("%j and %j are the same phone: %s", (left, right, isSame) => {
  expect(isSamePhone(left, right)).toBe(isSame);
});
