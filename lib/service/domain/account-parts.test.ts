import fc from "fast-check";
import { expect, test } from "vitest";
import { accountPartsMax, spreadEvenly } from "./account-parts.ts";

const cents = fc.bigInt({ min: 0n, max: 10n ** 15n });
const sum = (numbers: bigint[]) => numbers.reduce((total, one) => total + one, 0n);

test("spreading what is available makes no cent and loses none, and keeps each part's holds", () => {
  const holds = fc.array(cents, { minLength: 1, maxLength: accountPartsMax });
  fc.assert(
    fc.property(cents, holds, (availableCents, heldCents) => {
      const parts = spreadEvenly(availableCents, heldCents);
      expect(parts.map((part) => part.heldCents)).toEqual(heldCents);
      expect(sum(parts.map(({ balanceCents }) => balanceCents))).toBe(availableCents + sum(heldCents));
      const available = parts.map((part) => part.balanceCents - part.heldCents).sort((a, b) => Number(a - b));
      expect(Number(available.at(-1)) - Number(available[0])).toBeLessThanOrEqual(1);
      expect(available[0]).toBeGreaterThanOrEqual(0n);
    }),
  );
});
