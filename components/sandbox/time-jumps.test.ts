import { expect, test } from "vitest";
import { aheadOf } from "./time-jumps.ts";

test.each([
  [0, "real time"],
  [30, "less than a minute ahead"],
  [60, "1 minute ahead"],
  [90_000, "1 day 1 hour ahead"],
])("%i s are %s", (seconds, words) => expect(aheadOf(seconds)).toBe(words));
