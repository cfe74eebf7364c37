import { expect, test } from "vitest";
import { findAccountProblems } from "./reconciliation.ts";

// A check of the database refuses this, so it cannot be planted there.
test("an account is overdrawn when what it has in all does not cover what is held, and so is each part", () => {
  const sums = { balanceCents: 100n, heldCents: 70n, entriesCents: 100n, holdsCents: 70n };
  const parts = [
    { number: 1, balanceCents: 40n, heldCents: 50n, holdsCents: 50n },
    { number: 2, balanceCents: 60n, heldCents: 20n, holdsCents: 20n },
  ];
  const account = { id: "a", isFunding: false, ...sums, partsWanted: 2, parts };
  expect(findAccountProblems(account)).toEqual(["Part 1 of account a is overdrawn: 40 cents, of which 50 are held."]);
  expect(findAccountProblems({ ...account, heldCents: 101n, holdsCents: 101n, partsWanted: 0, parts: [] })).toEqual([
    "Account a is overdrawn: 100 cents, of which 101 are held.",
  ]);
});
