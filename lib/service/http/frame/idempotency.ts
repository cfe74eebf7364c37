import type { ErrorReason } from "../../../contract/errors.ts";
import { uuid } from "../../../contract/text.ts";
import type { Reply } from "./answer-request.ts";
import { type Refusal, ServiceError } from "./refusal.ts";

/** The Idempotency-Key of a request in lower case: a UUID, bare or quoted. Throws invalid_idempotency_key. Decision D13 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const header = headers.get("idempotency-key");
  if (header === null) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (uuid.safeParse(key).success) return key.toLowerCase();
  throw new ServiceError({ refuse: "invalid_idempotency_key", description: "Idempotency-Key must be a UUID." });
}

/** The answer to a request that created something, now or when it was sent first; a replay says so in a header. Decision D13 */
export function replyCreated(kind: "created" | "replayed", body: unknown): Reply {
  return { status: 201, body, ...(kind === "replayed" && { headers: { "idempotent-replayed": "true" } }) };
}

/** The refusal of a request whose key stands for another one, or for one that is still under way. Decision D13 */
export function refuseForKey(kind: keyof typeof keyRefusals): Refusal {
  return { refuse: kind, description: keyRefusals[kind] };
}

const keyRefusals = {
  idempotency_key_reused: "This Idempotency-Key was used for another request.",
  idempotency_in_progress:
    "The first request with this Idempotency-Key is still being worked on: try again in a moment.",
} as const satisfies Partial<Record<ErrorReason, string>>;
