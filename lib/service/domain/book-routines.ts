/** What one request wants to book. `keyScope` names its idempotency key within client, user and operation. */
export type Booking = {
  clientId: string;
  userId: string;
  sourceId: string;
  destinationId: string;
  amountCents: number;
  idempotency: { keyScope: string; fingerprint: Buffer } | undefined;
};

/** An account as the decision needs it; balances in cents. */
export type BookableAccount = {
  clientId: string;
  userId: string | null;
  isOpen: boolean;
  availableCents: number;
};

/** The answer that an idempotency key stands for, to the byte. */
export type StoredAnswer = { fingerprint: Buffer; status: number; body: string };

/** What is known before the first request of a set is decided. Keys held elsewhere cannot be answered yet. */
export type BookingState = {
  accounts: ReadonlyMap<string, BookableAccount>;
  answers: ReadonlyMap<string, StoredAnswer>;
  keysHeldElsewhere: ReadonlySet<string>;
};

/** What becomes of one request. */
export type BookingDecision =
  | { kind: "created"; body: string }
  | { kind: "replayed"; status: number; body: string }
  | { kind: "idempotency_in_progress" }
  | { kind: "idempotency_key_reused" }
  | { kind: "source_not_found" }
  | { kind: "destination_not_found" }
  | { kind: "instrument_not_usable" }
  | { kind: "insufficient_funds" };

/**
 * Decides a set of requests as if they ran one after another in the given order: each sees what those before it took and
 * answered, and a refused one leaves nothing behind, its key included. `writeBody` makes the answer of a created one.
 */
export function decideBookings<Request extends Booking>(
  requests: readonly Request[],
  { accounts, answers, keysHeldElsewhere }: BookingState,
  writeBody: (request: Request) => string,
): BookingDecision[] {
  const takenCents = new Map<string, number>();
  const given = new Map(answers);

  return requests.map((request) => {
    const { idempotency, sourceId, amountCents } = request;
    if (idempotency) {
      if (keysHeldElsewhere.has(idempotency.keyScope)) return { kind: "idempotency_in_progress" };
      const answer = given.get(idempotency.keyScope);
      if (answer) return answerAgain(answer, idempotency.fingerprint);
    }
    const refusal = refusalOf(request, accounts, takenCents.get(sourceId) ?? 0);
    if (refusal) return { kind: refusal };

    takenCents.set(sourceId, (takenCents.get(sourceId) ?? 0) + amountCents);
    const body = writeBody(request);
    if (idempotency) given.set(idempotency.keyScope, { fingerprint: idempotency.fingerprint, status: 201, body });
    return { kind: "created", body };
  });
}

function answerAgain({ fingerprint, status, body }: StoredAnswer, asked: Buffer): BookingDecision {
  return fingerprint.equals(asked) ? { kind: "replayed", status, body } : { kind: "idempotency_key_reused" };
}

// Decision D13: the order of the refusals.
function refusalOf(
  { clientId, userId, sourceId, destinationId, amountCents }: Booking,
  accounts: BookingState["accounts"],
  takenCents: number,
) {
  const source = accounts.get(sourceId);
  if (source?.clientId !== clientId || source.userId !== userId) return "source_not_found";
  const destination = accounts.get(destinationId);
  // A funding account belongs to no user: it is no payment instrument.
  if (destination?.clientId !== clientId || destination.userId === null) return "destination_not_found";
  if (!source.isOpen || !destination.isOpen) return "instrument_not_usable";
  return source.availableCents - takenCents < amountCents ? "insufficient_funds" : undefined;
}
