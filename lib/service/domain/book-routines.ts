import { type IdempotencyKey, judgeKey, type KeyVerdict, nameOfKey, type TakenKeys } from "./idempotency.ts";

/** What one request wants to book, under the id that the routine will have. */
export type Booking = {
  routineId: string;
  clientId: string;
  userId: string;
  sourceId: string;
  destinationId: string;
  amountCents: number;
  idempotency: IdempotencyKey | undefined;
};

/** An account as the decision needs it; balances in cents. */
export type BookableAccount = {
  clientId: string;
  userId: string | null;
  isOpen: boolean;
  /** Another transaction holds it, so what it has available is not known. */
  isHeldElsewhere: boolean;
  availableCents: number;
};

/** What is known before the first request of a set is decided. */
export type BookingState = { accounts: ReadonlyMap<string, BookableAccount>; keys: TakenKeys };

/** Why a request books nothing. `busy`: the source is held by another transaction; asked again, it may succeed. */
export type BookingRefusal =
  | "source_not_found"
  | "destination_not_found"
  | "instrument_not_usable"
  | "busy"
  | "insufficient_funds";

/** What becomes of one request: created under its own routine id, a replay of an earlier one, or refused. */
export type BookingDecision = { kind: "created" } | KeyVerdict | { kind: BookingRefusal };

/** A request that may be granted without knowing what becomes of its neighbours, if its source covers all that they want. */
export type EasyBooking<Request> = { request: Request; wantedOfSourceCents: number };

/**
 * The requests of a set that do not depend on another one: not those whose key an earlier one has. Whoever grants them in any
 * order, each only where its source covers `wantedOfSourceCents`, which is what the whole set wants of it, and then decides
 * the others, has decided as if one ran after another.
 */
export function findEasyBookings<Request extends Booking>(requests: readonly Request[]): EasyBooking<Request>[] {
  const wantedCents = new Map<string, number>();
  for (const { sourceId, amountCents } of requests) {
    wantedCents.set(sourceId, (wantedCents.get(sourceId) ?? 0) + amountCents);
  }
  const names = new Set<string>();
  return requests.flatMap((request) => {
    const { idempotency, sourceId, amountCents } = request;
    const name = idempotency && nameOfKey(idempotency);
    if (name !== undefined && names.has(name)) return [];
    if (name !== undefined) names.add(name);
    return { request, wantedOfSourceCents: wantedCents.get(sourceId) ?? amountCents };
  });
}

/**
 * Decides a set of requests as if they ran one after another in the given order: each sees what those before it took and
 * created, and a refused one leaves nothing behind, its key included.
 */
export function decideBookings(requests: readonly Booking[], { accounts, keys }: BookingState): BookingDecision[] {
  const takenCents = new Map<string, number>();
  const kept = new Map(keys.kept);

  return requests.map((request) => {
    const { idempotency, routineId, sourceId, amountCents } = request;
    const verdict = idempotency && judgeKey(idempotency, { ...keys, kept });
    if (verdict) return verdict;
    const refusal = refusalOf(request, accounts, takenCents.get(sourceId) ?? 0);
    if (refusal) return { kind: refusal };

    takenCents.set(sourceId, (takenCents.get(sourceId) ?? 0) + amountCents);
    if (idempotency) {
      kept.set(nameOfKey(idempotency), { fingerprint: idempotency.fingerprint, resourceId: routineId });
    }
    return { kind: "created" };
  });
}

// Decision D13: the order of the refusals. Most bookings never come here: `bookInOneStatement` creates those for which none of
// this holds, by the same conditions in SQL, and book-sets.model.test.ts compares the two.
function refusalOf(
  { clientId, userId, sourceId, destinationId, amountCents }: Booking,
  accounts: BookingState["accounts"],
  takenCents: number,
): BookingRefusal | undefined {
  const source = accounts.get(sourceId);
  if (source?.clientId !== clientId || source.userId !== userId) return "source_not_found";
  const destination = accounts.get(destinationId);
  // A funding account belongs to no user: it is no payment instrument.
  if (destination?.clientId !== clientId || destination.userId === null) return "destination_not_found";
  if (source.isHeldElsewhere) return "busy";
  if (!source.isOpen || !destination.isOpen) return "instrument_not_usable";
  return source.availableCents - takenCents < amountCents ? "insufficient_funds" : undefined;
}
