import { expect, test } from "vitest";
import { userIntentStatuses } from "#lib/contract/statuses.ts";
import { nextSteps } from "./next-steps.ts";

test("offers allowed statuses without conversion", () => {
  expect(nextSteps("user", "approved")).toEqual(["suspended"]);
  expect(nextSteps("transfer", "pending")).toEqual(["processed", "failed", "cancelled"]);
  for (const status of userIntentStatuses) expect(nextSteps("userIntent", status)).not.toContain("converted_to_user");
});

test("offers nothing for an unknown status", () => {
  expect(nextSteps("user", "constructor")).toEqual([]);
});
