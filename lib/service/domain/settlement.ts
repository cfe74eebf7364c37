import type { TransferStatus } from "../../contract/statuses.ts";

/** How a pending transfer ends. `failureReason` is null unless it failed. */
export type TransferEnd = { status: Exclude<TransferStatus, "pending">; failureReason: string | null };

/** How a transfer settles; `by_hand` never falls due and waits for an operator. */
export type SettlementOutcome = "processed" | "account_closed" | "by_hand";

/** Milliseconds until a new transfer falls due; null for never (Decision D13). */
export function settlementDelayOf(outcome: SettlementOutcome, { delayMs }: { delayMs: number }): number | null {
  return outcome === "by_hand" ? null : delayMs;
}

/** The end of a due transfer: processed, unless its destination is closed. */
export function endOfDueTransfer(
  outcome: SettlementOutcome,
  { isDestinationOpen }: { isDestinationOpen: boolean },
): TransferEnd {
  return isDestinationOpen && outcome !== "account_closed" ? processed : accountClosed;
}

/** The end of a transfer finished by hand: as requested, but a transfer to a closed account can't be processed. */
export function endByHand(wanted: TransferEnd, { isDestinationOpen }: { isDestinationOpen: boolean }): TransferEnd {
  return wanted.status === "processed" && !isDestinationOpen ? accountClosed : wanted;
}

const processed: TransferEnd = { status: "processed", failureReason: null };
const accountClosed: TransferEnd = { status: "failed", failureReason: "account_closed" };
