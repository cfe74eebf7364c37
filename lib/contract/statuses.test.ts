import { expect, test } from "vitest";
import { canFollow, transferStatuses, transitions, userStatuses } from "./statuses.ts";

test("a transfer ends once", () => {
  for (const ended of ["processed", "failed", "cancelled"]) {
    for (const next of transferStatuses) expect(canFollow("transfer", ended, next)).toBe(false);
  }
});

test("only pending can become retry, so retry is offered once", () => {
  const before = Object.entries(transitions.userIntent).filter(([, next]) => (next as string[]).includes("retry"));
  expect(before.map(([status]) => status)).toEqual(["pending"]);
});

test("only an approved user can be suspended, and a suspension ends only with approved", () => {
  expect(userStatuses.filter((status) => canFollow("user", status, "suspended"))).toEqual(["approved"]);
  expect(userStatuses.filter((status) => canFollow("user", "suspended", status))).toEqual(["approved"]);
});

test("any intent can be converted, and a converted one is only approved or rejected", () => {
  for (const status of ["pending", "retry", "document", "approved", "rejected"]) {
    expect(canFollow("userIntent", status, "converted_to_user")).toBe(true);
  }
  expect(transitions.userIntent.converted_to_user).toEqual(["approved", "rejected"]);
});

test("an unknown status has no transitions", () => {
  expect(canFollow("user", "toString", "approved")).toBe(false);
});

test.each(["userIntent", "user"] as const)("a %s in status document never goes back", (record) => {
  for (const next of ["pending", "retry", "document"]) expect(canFollow(record, "document", next)).toBe(false);
});
