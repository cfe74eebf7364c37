import type { TransferStatus } from "../../contract/statuses.ts";

/** How a pending transfer ends. `failureReason` is null unless it failed. */
export type TransferEnd = { status: Exclude<TransferStatus, "pending">; failureReason: string | null };

/** Milliseconds until a new transfer settles; null when the sandbox leaves it to somebody's decision (Decision D13). */
export function settlementDelayOf(
  amountCents: number,
  { delayMs, isSandbox }: { delayMs: number; isSandbox: boolean },
): number | null {
  return isSandbox && amountCents % 100 === 12 ? null : delayMs;
}

/** How a transfer ends that has fallen due: processed, unless its destination closed or the sandbox plays that it did. */
export function endOfDueTransfer(
  { amountCents, isDestinationOpen }: { amountCents: number; isDestinationOpen: boolean },
  { isSandbox }: { isSandbox: boolean },
): TransferEnd {
  const isFailurePlayed = isSandbox && amountCents % 100 === 11;
  return isDestinationOpen && !isFailurePlayed ? processed : accountClosed;
}

/** How a transfer ends that somebody finishes by hand; nobody can process one towards a closed account. */
export function endByHand(wanted: TransferEnd, { isDestinationOpen }: { isDestinationOpen: boolean }): TransferEnd {
  return wanted.status === "processed" && !isDestinationOpen ? accountClosed : wanted;
}

const processed: TransferEnd = { status: "processed", failureReason: null };
const accountClosed: TransferEnd = { status: "failed", failureReason: "account_closed" };
