import { uuid } from "../../contract/text.ts";
import type { IdempotentOutcome } from "../operations/idempotency.ts";
import type { Reply } from "./answer-request.ts";
import { type Refusal, ServiceError } from "./service-error.ts";

/** The Idempotency-Key of a request in lower case: a UUID, bare or quoted. Throws invalid_idempotency_key. Decision D13 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const header = headers.get("idempotency-key");
  if (header === null) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (uuid.safeParse(key).success) return key.toLowerCase();
  throw new ServiceError({ refuse: "invalid_idempotency_key", description: "Idempotency-Key must be a UUID." });
}

/** The response to a request that may be a repetition; a replay says so in a header. Decision D13 */
export function shapeIdempotent(outcome: IdempotentOutcome<never>): Reply | Refusal {
  switch (outcome.kind) {
    case "answered": {
      const { status, bodyText, isReplayed } = outcome;
      return { status, bodyText, ...(isReplayed && { headers: { "idempotent-replayed": "true" } }) };
    }
    case "idempotency_key_reused":
      return { refuse: "idempotency_key_reused", description: "This Idempotency-Key was used for another request." };
    case "idempotency_in_progress":
      return {
        refuse: "idempotency_in_progress",
        description: "The first request with this Idempotency-Key is still being worked on: try again in a moment.",
      };
  }
}
