import { expect, test } from "vitest";
import { leftOf } from "./countdown.tsx";

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [0, "ended"],
  [-5 * day, "ended"],
  [1, "1 s"],
  [59 * second, "59 s"],
  [minute, "1 min 0 s"],
  [minute - 1, "1 min 0 s"],
  [4 * minute + 9 * second, "4 min 9 s"],
  [hour, "1 h 0 min"],
  [2 * hour - 1, "2 h 0 min"],
  [day, "1 day 0 h"],
  [9 * day + 3 * hour + 59 * minute, "9 days 3 h"],
])("%d ms is %s", (ms, text) => {
  expect(leftOf(ms)).toBe(text);
});
