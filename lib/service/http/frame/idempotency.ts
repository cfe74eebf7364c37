import { uuid } from "../../../contract/text.ts";
import type { Reply } from "./answer-request.ts";
import { refuse, ServiceError } from "./refusal.ts";

/** The Idempotency-Key of a request in lower case: a UUID, bare or quoted. Throws invalid_idempotency_key. Decision D13 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const header = headers.get("idempotency-key");
  if (header === null) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (uuid.safeParse(key).success) return key.toLowerCase();
  throw new ServiceError(refuse("invalid_idempotency_key"));
}

/** The answer to a request that created something, now or when it was sent first; a replay says so in a header. Decision D13 */
export function replyCreated(kind: "created" | "replayed", body: unknown): Reply {
  return { status: 201, body, ...(kind === "replayed" && { headers: { "idempotent-replayed": "true" } }) };
}
