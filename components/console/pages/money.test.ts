import { expect, test } from "vitest";
import { movementsOf } from "./money.tsx";

const at = "2026-01-31T09:30:00.000Z";
const entry = (posting_id: string, account_id: string, amount: number, transfer_id: string | null = "t") => ({
  ...{ posting_id, account_id, transfer_id, amount },
  created_at: at,
});

test("pairs the entries of a posting in either order", () => {
  const entries = [
    entry("p2", "b", 5),
    entry("p2", "a", -5),
    entry("p1", "f", -100, null),
    entry("p1", "a", 100, null),
  ];
  expect(movementsOf(entries)).toEqual([
    { postingId: "p2", transferId: "t", sourceId: "a", destinationId: "b", amount: 5, at },
    { postingId: "p1", transferId: null, sourceId: "f", destinationId: "a", amount: 100, at },
  ]);
});

test("drops half a posting at the end of the list", () => {
  expect(movementsOf([entry("p2", "b", 5), entry("p2", "a", -5), entry("p1", "a", 100)])).toHaveLength(1);
});
