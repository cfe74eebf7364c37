import * as z from "zod/mini";
import { limits } from "./limits.ts";

/** Reasons for programs to branch on, each with its status and a sentence for people. Decision D5 */
export const refusals = {
  invalid_json: { status: 400, sentence: "The body is not JSON in UTF-8." },
  validation_failed: { status: 400, sentence: "Some fields are missing or invalid; see errors." },
  invalid_idempotency_key: { status: 400, sentence: "Idempotency-Key must be a UUID." },
  invalid_client: {
    status: 401,
    sentence: "Authenticate with the Basic scheme: client_id and client_secret, each form-url-encoded.",
  },
  missing_token: { status: 401, sentence: "Send the user's access token with the Bearer scheme." },
  invalid_token: { status: 401, sentence: "The access token is unknown." },
  token_expired: { status: 401, sentence: "The access token has expired: refresh it and try again." },
  token_superseded: {
    status: 401,
    sentence: "A newer access token was issued for this user: use that one, or refresh.",
  },
  trusted_authentication_not_enabled: {
    status: 403,
    sentence: "Ask the service's operator to enable trusted authentication.",
  },
  customer_mismatch: {
    status: 403,
    sentence: "Your customer endpoint returned another customer_id or another phone.",
  },
  business_user_required: { status: 403, sentence: "Only the business user of this client may create routines." },
  user_not_approved: { status: 403, sentence: "The business user is not approved." },
  person_not_permitted: { status: 403, sentence: "The user with this phone is rejected or suspended." },
  not_found: { status: 404, sentence: "There is no such resource." },
  method_not_allowed: { status: 405, sentence: "This path does not support this method; see the allow header." },
  not_acceptable: { status: 406, sentence: "The answer is JSON: accept application/json." },
  idempotency_in_progress: {
    status: 409,
    sentence: "The first request with this Idempotency-Key is still in progress: try again in a moment.",
  },
  illegal_transition: { status: 409, sentence: "This status cannot follow the current one." },
  payload_too_large: { status: 413, sentence: `A request body can have at most ${limits.requestBytesMax / 1024} KiB.` },
  unsupported_media_type: { status: 415, sentence: "Send content-type: application/json in UTF-8." },
  idempotency_key_reused: { status: 422, sentence: "This Idempotency-Key was used for another request." },
  idempotency_key_voided: {
    status: 422,
    sentence: "This Idempotency-Key was voided, so nothing was created.",
  },
  insufficient_funds: { status: 422, sentence: "The source account does not have this amount available." },
  instrument_not_usable: { status: 422, sentence: "An account in this request is closed." },
  rate_limited: { status: 429, sentence: "Too many requests: wait as long as retry-after says." },
  internal_error: { status: 500, sentence: "Something went wrong on our side." },
  customer_endpoint_failed: {
    status: 502,
    sentence: "Your customer endpoint did not return a customer record.",
  },
  unavailable: { status: 503, sentence: "Try again in a moment." },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ErrorReason = keyof typeof refusals;

export type ErrorStatus = (typeof refusals)[ErrorReason]["status"];

/** `field` is a path, as in `metadata.order id`. */
export type FieldProblem = { field: string; message: string };

/** The body of every refusal except those of the OAuth endpoints. Only `validation_failed` has `errors`. */
export const errorBody = z.object({
  code: z.number(),
  name: z.string(),
  description: z.string(),
  reason: z.string(),
  errors: z.optional(z.array(z.object({ field: z.string(), message: z.string() }))),
  request_id: z.string(),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** RFC 6749 section 5.2. Decision D5 */
export const oauthRefusals = {
  invalid_request: { status: 400, sentence: "A parameter is missing, repeated or invalid." },
  invalid_grant: {
    status: 400,
    sentence:
      "The code or refresh token is unknown, expired, used or revoked, or redirect_uri or code_verifier does not match it: the person must authorize again.",
  },
  unsupported_grant_type: { status: 400, sentence: "grant_type is authorization_code or refresh_token." },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type OAuthReason = keyof typeof oauthRefusals;

/** The OAuth endpoints' own reasons, and three for all others (RFC 6749 sections 5.2 and 4.1.2.1). */
export type OAuthErrorCode = OAuthReason | "invalid_client" | "server_error" | "temporarily_unavailable";

/** RFC 6749 section 5.2. */
export const oauthErrorBody = z.object({ error: z.string(), error_description: z.optional(z.string()) });
export type OAuthErrorBody = z.infer<typeof oauthErrorBody>;
