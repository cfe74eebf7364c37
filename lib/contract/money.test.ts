import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "./limits.ts";
import { amount, amountFromCents, centsFromAmount, fundedAmount } from "./money.ts";

/** These cents as parsed from JSON. */
function roundTrip(cents: number): number | undefined {
  return centsFromAmount(JSON.parse(JSON.stringify(amountFromCents(cents))) as number);
}

describe("cents convert to an amount and back", () => {
  test("each of the 1,000,001 amounts up to 10,000.00", () => {
    const lost: number[] = [];
    // Without the JSON text, which is String(number) by definition and would double the time.
    for (let cents = 0; cents <= 1_000_000; cents++) {
      if (centsFromAmount(amountFromCents(cents)) !== cents) lost.push(cents);
    }
    expect(lost).toEqual([]);
  });

  test("random amounts up to the largest transfer, and debits, through JSON", () => {
    const max = limits.routineAmountCentsMax;
    fc.assert(
      fc.property(fc.integer({ min: -max, max }), (cents) => roundTrip(cents) === cents),
      { numRuns: 100_000 },
    );
  });

  test.each([
    [5, "0.05"],
    [10, "0.1"],
    [100, "1"],
    [123_456, "1234.56"],
    [100_000_000, "1000000"],
    [-5, "-0.05"],
    [0, "0"],
  ])("%i cents become the shortest JSON number, %s", (cents, text) => {
    expect(JSON.stringify(amountFromCents(cents))).toBe(text);
  });
});

describe("an amount", () => {
  test.each([
    [0.29, 29],
    [1.1, 110],
    [8.2, 820],
    [1.15, 115],
    [4.35, 435],
    [1_000_000, 100_000_000],
    [-12.34, -1234],
  ])("of %d is %i cents", (value, cents) => {
    expect(centsFromAmount(value)).toBe(cents);
  });

  test.each([1.005, 12.345, 0.001, 1e-7, 1e21, Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY])(
    "of %d isn't a whole number of cents",
    (value) => {
      expect(centsFromAmount(value)).toBeUndefined();
    },
  );

  test.each([1.005, 12.345, -1, 0, -0.01, 0.001, "1.00", true, null, Number.NaN, undefined, [], JSON.parse("1e400")])(
    "of %j is refused",
    (value) => {
      expect(amount.safeParse(value).success).toBe(false);
    },
  );

  test.each([0.01, 0.1, 1, 1.5, 99.99, 1_000_000])("of %d is accepted", (value) => {
    expect(amount.safeParse(value).success).toBe(true);
  });

  test("that is too large isn't reported as too precise", () => {
    const [past, large] = [1_000_000_000_000.01, 1e17].map((value) => fundedAmount.safeParse(value));
    for (const amount of [past, large]) {
      expect(amount?.error?.issues.map(({ message }) => message)).toEqual([
        "Must be an amount in USD of at most 1000000000000.",
      ]);
    }
    expect(fundedAmount.safeParse(1_000_000_000_000).success).toBe(true);
  });
});
