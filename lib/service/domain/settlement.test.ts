import { describe, expect, test } from "vitest";
import { endByHand, endOfDueTransfer, settlementDelayOf } from "./settlement.ts";

const processed = { status: "processed", failureReason: null };
const accountClosed = { status: "failed", failureReason: "account_closed" };

describe("a transfer", () => {
  test.each([
    [112, true, null],
    [12, true, null],
    [1_200, true, 2000],
    [111, true, 2000],
    [112, false, 2000],
  ])("of %i cents (sandbox: %s) settles after %s ms", (amountCents, isSandbox, delayMs) => {
    expect(settlementDelayOf(amountCents, { delayMs: 2000, isSandbox })).toBe(delayMs);
  });

  test.each([
    [100, true, true, processed],
    [111, true, true, accountClosed],
    [11, true, true, accountClosed],
    [1_100, true, true, processed],
    [111, true, false, processed],
    [100, false, false, accountClosed],
  ])("of %i cents, due, destination open: %s, sandbox: %s", (amountCents, isDestinationOpen, isSandbox, end) => {
    expect(endOfDueTransfer({ amountCents, isDestinationOpen }, { isSandbox })).toEqual(end);
  });

  test("finished by hand ends as wanted, but is never processed towards a closed account", () => {
    const cancelled = { status: "cancelled", failureReason: null } as const;
    expect(endByHand(cancelled, { isDestinationOpen: false })).toEqual(cancelled);
    expect(endByHand({ status: "processed", failureReason: null }, { isDestinationOpen: true })).toEqual(processed);
    expect(endByHand({ status: "processed", failureReason: null }, { isDestinationOpen: false })).toEqual(
      accountClosed,
    );
  });
});
