import type { TransferStatus } from "../../contract/statuses.ts";

/** How a pending transfer ends. `failureReason` is null unless it failed. */
export type TransferEnd = { status: Exclude<TransferStatus, "pending">; failureReason: string | null };

/** How a transfer settles: `by_hand` waits for somebody's decision and never falls due. */
export type SettlementOutcome = "processed" | "account_closed" | "by_hand";

/** Milliseconds until a new transfer falls due; null when it never does (Decision D13). */
export function settlementDelayOf(outcome: SettlementOutcome, { delayMs }: { delayMs: number }): number | null {
  return outcome === "by_hand" ? null : delayMs;
}

/** How a transfer ends that has fallen due: processed, unless its destination closed. */
export function endOfDueTransfer(
  outcome: SettlementOutcome,
  { isDestinationOpen }: { isDestinationOpen: boolean },
): TransferEnd {
  return isDestinationOpen && outcome !== "account_closed" ? processed : accountClosed;
}

/** How a transfer ends that somebody finishes by hand: as wanted, but one to a closed account cannot be processed. */
export function endByHand(wanted: TransferEnd, { isDestinationOpen }: { isDestinationOpen: boolean }): TransferEnd {
  return wanted.status === "processed" && !isDestinationOpen ? accountClosed : wanted;
}

const processed: TransferEnd = { status: "processed", failureReason: null };
const accountClosed: TransferEnd = { status: "failed", failureReason: "account_closed" };
