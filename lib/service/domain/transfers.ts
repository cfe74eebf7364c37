import type { TransferStatus } from "../../contract/statuses.ts";
import { type IdempotencyKey, judgeKey, type KeyLookup, type KeyVerdict, nameOfKey } from "./idempotency.ts";

export type Booking = {
  routineId: string;
  clientId: string;
  userId: string;
  sourceId: string;
  destinationId: string;
  amountCents: number;
  idempotency: IdempotencyKey | undefined;
};

export type BookableAccount = {
  clientId: string;
  userId: string | null;
  isOpen: boolean;
  availableCents: number;
};

export type BookingState = { accounts: ReadonlyMap<string, BookableAccount>; keys: KeyLookup };

export type BookingRefusal =
  | "source_not_found"
  | "destination_not_found"
  | "instrument_not_usable"
  | "insufficient_funds";

export type BookingVerdict = KeyVerdict | { kind: BookingRefusal };

/**
 * Adds the batch's total per source to each request. A source must cover its total, so requests can be granted in any order.
 * Skips requests that repeat a key.
 */
export function withTotals<Request extends Booking>(
  requests: readonly Request[],
): { request: Request; totalRequestedCents: number }[] {
  const totals = new Map<string, number>();
  for (const { sourceId, amountCents } of requests) totals.set(sourceId, (totals.get(sourceId) ?? 0) + amountCents);
  const names = new Set<string>();
  return requests.flatMap((request) => {
    const { idempotency, sourceId, amountCents } = request;
    const name = idempotency && nameOfKey(idempotency);
    if (name !== undefined && names.has(name)) return [];
    if (name !== undefined) names.add(name);
    return { request, totalRequestedCents: totals.get(sourceId) ?? amountCents };
  });
}

/** Judges a request on its own; undefined if it can be granted. Refusals are in the order of Decision D13. */
export function judgeBooking(request: Booking, { accounts, keys }: BookingState): BookingVerdict | undefined {
  const { clientId, userId, sourceId, destinationId, amountCents, idempotency } = request;
  const verdict = idempotency && judgeKey(idempotency, keys);
  if (verdict) return verdict;
  const source = accounts.get(sourceId);
  if (source?.clientId !== clientId || source.userId !== userId) return { kind: "source_not_found" };
  const destination = accounts.get(destinationId);
  // A funding account has no user and is not a payment instrument.
  if (destination?.clientId !== clientId || destination.userId === null) return { kind: "destination_not_found" };
  if (!source.isOpen || !destination.isOpen) return { kind: "instrument_not_usable" };
  return source.availableCents < amountCents ? { kind: "insufficient_funds" } : undefined;
}

/** `failureReason` is null unless it failed. */
export type TransferEnd = { status: Exclude<TransferStatus, "pending">; failureReason: string | null };

/** `by_hand` never falls due and waits for an operator. */
export type SettlementOutcome = "processed" | "account_closed" | "by_hand";

export function endOfDueTransfer(
  outcome: SettlementOutcome,
  { isDestinationOpen }: { isDestinationOpen: boolean },
): TransferEnd {
  return isDestinationOpen && outcome !== "account_closed" ? processed : accountClosed;
}

/** A transfer to a closed account can't be processed by hand either. */
export function endByHand(requested: TransferEnd, { isDestinationOpen }: { isDestinationOpen: boolean }): TransferEnd {
  return requested.status === "processed" && !isDestinationOpen ? accountClosed : requested;
}

const processed: TransferEnd = { status: "processed", failureReason: null };
export const accountClosed: TransferEnd = { status: "failed", failureReason: "account_closed" };
