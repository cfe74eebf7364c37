import { describe, expect, test } from "vitest";
import { endByHand, endOfDueTransfer, settlementDelayOf } from "./settlement.ts";

const processed = { status: "processed", failureReason: null };
const accountClosed = { status: "failed", failureReason: "account_closed" };

describe("a transfer", () => {
  test.each([
    ["processed", 2000],
    ["account_closed", 2000],
    ["by_hand", null],
  ] as const)("that comes to %s falls due after %s ms", (outcome, delayMs) => {
    expect(settlementDelayOf(outcome, { delayMs: 2000 })).toBe(delayMs);
  });

  test.each([
    ["processed", true, processed],
    ["processed", false, accountClosed],
    ["account_closed", true, accountClosed],
    ["account_closed", false, accountClosed],
    ["by_hand", true, processed],
    ["by_hand", false, accountClosed],
  ] as const)("that comes to %s, due, destination open: %s", (outcome, isDestinationOpen, end) => {
    expect(endOfDueTransfer(outcome, { isDestinationOpen })).toEqual(end);
  });

  test("finished by hand ends as requested, but is never processed to a closed account", () => {
    const cancelled = { status: "cancelled", failureReason: null } as const;
    expect(endByHand(cancelled, { isDestinationOpen: false })).toEqual(cancelled);
    expect(endByHand({ status: "processed", failureReason: null }, { isDestinationOpen: true })).toEqual(processed);
    expect(endByHand({ status: "processed", failureReason: null }, { isDestinationOpen: false })).toEqual(
      accountClosed,
    );
  });
});
