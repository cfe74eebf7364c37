import type { SettlementOutcome } from "../domain/settlement.ts";

/** Plays how a transfer settles by the cents of its amount: .11 fails, .12 waits for somebody's decision (Decision D13). */
export function settlementOf(amountCents: number): SettlementOutcome {
  switch (amountCents % 100) {
    case 11:
      return "account_closed";
    case 12:
      return "by_hand";
    default:
      return "processed";
  }
}
