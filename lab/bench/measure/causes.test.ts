import { expect, test } from "vitest";
import { describeWaits } from "./causes.ts";

test("lists the three largest transaction waits", () => {
  const waits = new Map([
    ["running", 20],
    ["Lock tuple", 50],
    ["its own process", 25],
    ["IO WalSync", 5],
  ]);
  expect(describeWaits(waits)).toBe(
    "of the transactions 50 % waited for Lock tuple, 25 % waited for its own process, 20 % ran",
  );
});

test("reports no waits", () => {
  expect(describeWaits(new Map())).toBe("no transactions were seen");
});
