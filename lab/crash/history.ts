/** The outcome of one request: a complete answer, or none, in which case nothing is known. */
export type Outcome =
  | { kind: "none" }
  | { kind: "answer"; status: number; text: string; isReplay: boolean; retryAfter: boolean };

/** One request of an operation, with the times (Unix ms) between which it was under way. */
export type Attempt = { api: string; sentAt: number; endedAt: number; outcome: Outcome };

/** A routine that an actor ordered, under a unique name. With a key the order is repeated until there is an answer. */
export type Booking = {
  kind: "booking";
  name: string;
  key: string | undefined;
  amountCents: number;
  sourceId: string;
  destinationId: string;
  attempts: Attempt[];
};

/** A user intent that an actor created, under a unique email address. */
export type Intent = { kind: "intent"; email: string; key: string | undefined; attempts: Attempt[] };

/** A token pair requested for a user who asks for one after another: by refresh or for a code. */
export type Grant = { kind: "grant"; userId: string; code: string | undefined; attempts: Attempt[] };

export type Operation = Booking | Intent | Grant;

/** The successful answer; undefined when there was none. */
export function acknowledgmentOf({ attempts }: Operation): { text: string } | undefined {
  for (const { outcome } of attempts) if (isSuccess(outcome)) return { text: outcome.text };
  return undefined;
}

/** Whether some request of this operation may have succeeded without an answer. */
export function isUnknown({ attempts }: Operation): boolean {
  return attempts.some(({ outcome }) => outcome.kind === "none");
}

/** A successful answer. */
export function isSuccess(outcome: Outcome): outcome is Extract<Outcome, { kind: "answer" }> {
  return outcome.kind === "answer" && outcome.status < 300;
}
