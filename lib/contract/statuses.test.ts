import { expect, test } from "vitest";
import { canFollow, transferStatuses, transitions, userStatuses } from "./statuses.ts";

test("a transfer ends once and for all", () => {
  for (const ended of ["processed", "failed", "cancelled"]) {
    for (const next of transferStatuses) expect(canFollow("transfer", ended, next)).toBe(false);
  }
});

test("retry is offered once: nothing leads back to it but the first decision", () => {
  const before = Object.entries(transitions.userIntent).filter(([, next]) => (next as string[]).includes("retry"));
  expect(before.map(([status]) => status)).toEqual(["pending"]);
});

test("a user is suspended only from approved and comes back only there", () => {
  expect(userStatuses.filter((status) => canFollow("user", status, "suspended"))).toEqual(["approved"]);
  expect(userStatuses.filter((status) => canFollow("user", "suspended", status))).toEqual(["approved"]);
});

test("any intent can be converted, and a converted one stays so", () => {
  for (const status of ["pending", "retry", "document", "approved", "rejected"]) {
    expect(canFollow("userIntent", status, "converted_to_user")).toBe(true);
  }
  expect(transitions.userIntent.converted_to_user).toEqual([]);
});

test("a status nobody knows leads nowhere", () => {
  expect(canFollow("user", "toString", "approved")).toBe(false);
});
