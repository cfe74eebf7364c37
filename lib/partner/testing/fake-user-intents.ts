import type { CreateUserIntentRequest, UserIntentRecord } from "../../contract/people.ts";
import { newId } from "../../kit/ids.ts";
import type { FakeAnswer, FakeService } from "./fake-service.ts";

export type ReceivedIntent = { body: CreateUserIntentRequest; idempotencyKey: string; authorization: string };

/** How the fake service answers a submitted intent. */
type Outcome = (received: ReceivedIntent) => FakeAnswer | "cut" | Promise<FakeAnswer | "cut">;

/** The user intents of a fake service with idempotency keys. */
export type FakeUserIntents = {
  /** Every submission, in order. */
  received: ReceivedIntent[];
  /** The intent's id for each idempotency key. */
  ids: Map<string, string>;
  /** The outcome of every submission from now on; undefined: 201. */
  always: (outcome: Outcome | undefined) => void;
  /** Sets the record that the service returns for an intent. */
  decide: (record: UserIntentRecord) => void;
};

/** Lets a fake service accept user intents. It answers 404 for an undecided one. */
export function takeUserIntents(service: FakeService): FakeUserIntents {
  const received: ReceivedIntent[] = [];
  const ids = new Map<string, string>();
  let defaultOutcome: Outcome | undefined;

  service.answer("POST /v1/user_intent", ({ headers, body }) => {
    const idempotencyKey = String(headers["idempotency-key"]);
    const details = body as CreateUserIntentRequest;
    const intent = { body: details, idempotencyKey, authorization: headers.authorization ?? "" };
    received.push(intent);
    const id = ids.get(idempotencyKey) ?? newId();
    ids.set(idempotencyKey, id);
    if (defaultOutcome) return defaultOutcome(intent);
    const created = { id, status: "pending", metadata: details.metadata, created_at: new Date().toISOString() };
    return { status: 201, body: created };
  });
  return {
    received,
    ids,
    always: (outcome) => {
      defaultOutcome = outcome;
    },
    decide: (record) => service.answer(`GET /v1/user_intent/${record.id}`, () => ({ status: 200, body: record })),
  };
}
