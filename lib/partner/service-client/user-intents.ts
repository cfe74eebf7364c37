import type { CreateUserIntentRequest } from "../../contract/people.ts";
import type { Answer } from "./answer.ts";
import type { CallOptions, CallService } from "./call-service.ts";
import { identifier, metadata, optional, plainText, type Read, recordOf, time } from "./reading.ts";
import { type RejectionReason, rejectionReasons } from "./rejection-reasons.ts";

/** A user intent. The answers that bring one are not published: only its id is certain. Decision D6 */
export type UserIntent = {
  id: string;
  status?: string | undefined;
  metadata?: Record<string, string> | undefined;
  rejection_reasons?: RejectionReason[] | undefined;
  user_id?: string | null | undefined;
  /** ISO 8601, as `created_at`. */
  updated_at?: string | undefined;
  created_at?: string | undefined;
};

const readRecord: Read<UserIntent> = recordOf(
  {
    id: identifier,
    status: optional(plainText),
    metadata: optional(metadata),
    rejection_reasons: optional(rejectionReasons),
    user_id: optional(identifier),
    updated_at: optional(time),
    created_at: optional(time),
  },
  {
    id: ["user_intent_id", "user_intent.id", "data.id"],
    status: ["user_intent.status", "data.status"],
    rejection_reasons: ["user_intent.rejection_reasons", "data.rejection_reasons"],
    metadata: ["user_intent.metadata", "data.metadata"],
  },
);

/** The calls about user intents. */
export function userIntentCalls(call: CallService, authorization: string) {
  return {
    /** Pre-registers a person. With the same idempotency key (a UUID) a retry finds the first intent instead of making another. */
    createUserIntent: (
      request: CreateUserIntentRequest,
      { idempotencyKey, traceId }: CallOptions & { idempotencyKey: string },
    ): Promise<Answer<UserIntent>> =>
      call({
        method: "POST",
        path: "/v1/user_intent",
        authorization,
        body: request,
        read: readRecord,
        idempotencyKey,
        traceId,
      }),

    /** The intent's current state, decision and rejection reasons included. Not published: a service may refuse. */
    readUserIntent: (id: string, options: CallOptions = {}): Promise<Answer<UserIntent>> =>
      call({
        method: "GET",
        path: `/v1/user_intent/${encodeURIComponent(id)}`,
        authorization,
        read: readRecord,
        id,
        ...options,
      }),
  };
}
