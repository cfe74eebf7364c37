import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import { asUser, type CallOptions, type CallService, pathSegment } from "./call-service.ts";
import { flag, identifier, metadata, optional, plainText, type Read, recordOf, time } from "./reading.ts";

/** A rejection reason to show the person; `code` may be empty. */
export type RejectionReason = { code: string; message: string };

const reason = z.union([
  z.pipe(
    plainText,
    z.transform((message): RejectionReason => ({ code: "", message })),
  ),
  z.pipe(
    z.looseObject({ code: z.optional(plainText), message: z.optional(plainText), reason: z.optional(plainText) }),
    z.transform(({ code = "", message, reason }): RejectionReason => ({ code, message: message ?? reason ?? code })),
  ),
]);

/** The shape is not published: strings, objects with a message, or one of either without an array. */
export const rejectionReasons = z.union([
  z.array(reason),
  z.pipe(
    reason,
    z.transform((single) => [single]),
  ),
]);

/** A person to pre-register, with the published fields. */
export type NewUserIntent = {
  first_name: string;
  last_name: string;
  date_of_birth: string;
  ssn: string;
  phone: string;
  email: string;
  address1: string;
  address2?: string | undefined;
  city: string;
  state: string;
  postal_code: string;
  ip_address: string;
  metadata?: Record<string, string> | undefined;
};

/** A user intent. Only its id is certain, because the answers are not published. Decision D6 */
export type UserIntent = {
  id: string;
  status?: string | undefined;
  metadata?: Record<string, string> | undefined;
  rejection_reasons?: RejectionReason[] | undefined;
  user_id?: string | null | undefined;
  /** ISO 8601, like `created_at`. */
  updated_at?: string | undefined;
  created_at?: string | undefined;
};

const readIntent: Read<UserIntent> = recordOf(
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

export function userIntentCalls(call: CallService, authorization: string) {
  return {
    /** Pre-registers a person. A retry with the same idempotency key (a UUID) returns the first intent. */
    createUserIntent: (
      request: NewUserIntent,
      { idempotencyKey, traceId }: CallOptions & { idempotencyKey: string },
    ): Promise<Answer<UserIntent>> =>
      call({
        method: "POST",
        path: "/v1/user_intent",
        authorization,
        body: request,
        read: readIntent,
        idempotencyKey,
        traceId,
      }),

    /** The intent's current state, with its decision and rejection reasons. Not published, so a service may refuse. */
    readUserIntent: (id: string, options: CallOptions = {}): Promise<Answer<UserIntent>> =>
      call({
        method: "GET",
        path: `/v1/user_intent/${pathSegment(id)}`,
        authorization,
        read: readIntent,
        id,
        ...options,
      }),
  };
}

/** A user. `status`, `user_type` and `kyc_type` are kept as received, because their values are not published. */
export type User = {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  phone: string;
  status: string;
  user_type: string;
  kyc_type?: string | undefined;
  metadata?: Record<string, string> | undefined;
  receive_only?: boolean | undefined;
  rejection_reasons?: RejectionReason[] | undefined;
};

const readUserRecord: Read<User> = recordOf({
  id: identifier,
  email: plainText,
  first_name: plainText,
  last_name: plainText,
  phone: plainText,
  status: plainText,
  user_type: plainText,
  kyc_type: optional(plainText),
  metadata: optional(metadata),
  receive_only: optional(flag),
  rejection_reasons: optional(rejectionReasons),
});

export function userCalls(call: CallService) {
  return {
    /** The access token's user, with the intent's metadata. */
    readUser: (accessToken: string, options: CallOptions = {}): Promise<Answer<User>> =>
      call({ method: "GET", path: "/v1/user", authorization: asUser(accessToken), read: readUserRecord, ...options }),
  };
}
