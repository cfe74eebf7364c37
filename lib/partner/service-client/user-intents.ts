import {
  type CreatedUserIntent,
  type CreateUserIntentRequest,
  createdUserIntent,
  type UserIntentRecord,
  userIntentRecord,
} from "../../contract/user-intent.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asClient } from "./credentials.ts";

/** Pre-registers a person. With the same idempotency key (a UUID) a retry finds the first intent instead of making another. */
export function createUserIntent(
  request: CreateUserIntentRequest,
  { idempotencyKey, traceId }: CallOptions & { idempotencyKey: string },
): Promise<Answer<CreatedUserIntent>> {
  return callService({
    method: "POST",
    path: "/v1/user_intent",
    authorization: asClient(),
    body: request,
    schema: createdUserIntent,
    idempotencyKey,
    traceId,
  });
}

/** The intent's current state, decision and rejection reasons included. */
export function readUserIntent(userIntentId: string, options: CallOptions = {}): Promise<Answer<UserIntentRecord>> {
  return callService({
    method: "GET",
    path: `/v1/user_intent/${encodeURIComponent(userIntentId)}`,
    authorization: asClient(),
    schema: userIntentRecord,
    ...options,
  });
}
