/** A request's outcome: a complete answer, or unknown. */
export type Outcome =
  | { kind: "none" }
  | { kind: "answer"; status: number; text: string; isReplay: boolean; retryAfter: boolean };

export type Attempt = { api: string; sentAt: number; endedAt: number; outcome: Outcome };

/** A routine with a unique name. With a key, it's retried until answered. */
export type Booking = {
  kind: "booking";
  name: string;
  key: string | undefined;
  amountCents: number;
  sourceId: string;
  destinationId: string;
  attempts: Attempt[];
};

export type Intent = { kind: "intent"; email: string; key: string | undefined; attempts: Attempt[] };

/** A token pair requested by refresh or code. */
export type Grant = { kind: "grant"; userId: string; code: string | undefined; attempts: Attempt[] };

export type Operation = Booking | Intent | Grant;

export function acknowledgmentOf({ attempts }: Operation): { text: string } | undefined {
  for (const { outcome } of attempts) if (isSuccess(outcome)) return { text: outcome.text };
  return undefined;
}

/** Whether a request may have succeeded without an answer. */
export function isUnknown({ attempts }: Operation): boolean {
  return attempts.some(({ outcome }) => outcome.kind === "none");
}

export function isSuccess(outcome: Outcome): outcome is Extract<Outcome, { kind: "answer" }> {
  return outcome.kind === "answer" && outcome.status < 300;
}
