import * as z from "zod/mini";

// Decision D5. The one table of reasons: the service answers with it, clients branch on it, docs and tests are made of it.
export const errorStatuses = {
  invalid_json: 400,
  validation_failed: 400,
  invalid_idempotency_key: 400,
  invalid_client: 401,
  missing_token: 401,
  invalid_token: 401,
  token_expired: 401,
  token_superseded: 401,
  trusted_authentication_not_enabled: 403,
  customer_mismatch: 403,
  business_user_required: 403,
  user_not_approved: 403,
  person_not_permitted: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  idempotency_in_progress: 409,
  illegal_transition: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  insufficient_funds: 422,
  instrument_not_usable: 422,
  rate_limited: 429,
  internal_error: 500,
  customer_endpoint_failed: 502,
  unavailable: 503,
} as const;

/** What went wrong, as a word that programs branch on. */
export type ErrorReason = keyof typeof errorStatuses;

/** One refused field of a request; `field` is its path, as in `metadata.order id`. */
export type FieldProblem = { field: string; message: string };

/** The body of every refusal but those of the OAuth endpoints. `errors` comes with `validation_failed` only. */
export const errorBody = z.object({
  code: z.number(),
  name: z.string(),
  description: z.string(),
  reason: z.string(),
  errors: z.optional(z.array(z.object({ field: z.string(), message: z.string() }))),
  request_id: z.string(),
});
export type ErrorBody = z.infer<typeof errorBody>;

// RFC 6749 section 5.2, and 4.1.2.1 for the two that tell of passing trouble. Decision D5
export const oauthErrorStatuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;
export type OAuthErrorCode = keyof typeof oauthErrorStatuses;

/** The body of every refusal of the token and revocation endpoints (RFC 6749 section 5.2). */
export const oauthErrorBody = z.object({ error: z.string(), error_description: z.optional(z.string()) });
export type OAuthErrorBody = z.infer<typeof oauthErrorBody>;
