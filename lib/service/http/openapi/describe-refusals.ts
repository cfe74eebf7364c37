import { type ErrorReason, errorStatuses, type OAuthErrorCode, oauthErrorStatuses } from "../../../contract/errors.ts";
import { presentOAuthRefusal, presentRefusal } from "../frame/refusal.ts";
import type { DocumentedRoute } from "../frame/route-documentation.ts";
import type { Json } from "./json-schemas.ts";

const requestId = "0198c0de-0000-7000-8000-0000000000ff";

// One sentence each, for the examples of the document.
const descriptions: Record<ErrorReason, string> = {
  invalid_json: "The body is not JSON in UTF-8.",
  validation_failed: "Some fields are missing or wrong; see errors.",
  invalid_idempotency_key: "Idempotency-Key must be a UUID.",
  invalid_client: "Authenticate with the Basic scheme: client_id and client_secret, each form-url-encoded.",
  missing_token: "Send the user's access token with the Bearer scheme.",
  invalid_token: "The access token is not known.",
  token_expired: "The access token has expired: refresh it and try again.",
  token_superseded: "A newer access token was issued for this user: use that one, or refresh.",
  trusted_authentication_not_enabled: "Ask the service's operator to enable trusted authentication.",
  customer_mismatch: "Your customer endpoint answered another customer_id or another phone.",
  business_user_required: "Only the business user of this client may create routines.",
  user_not_approved: "The business user is not approved.",
  person_not_permitted: "The user to whom this phone belongs is rejected or suspended.",
  not_found: "There is no such resource.",
  method_not_allowed: "Only GET is allowed here.",
  not_acceptable: "The answer is JSON: accept application/json.",
  idempotency_in_progress:
    "The first request with this Idempotency-Key is still being worked on: try again in a moment.",
  illegal_transition: "This status cannot follow the present one.",
  payload_too_large: "A request body has at most 64 KiB.",
  unsupported_media_type: "Send content-type: application/json in UTF-8.",
  idempotency_key_reused: "This Idempotency-Key was used for another request.",
  insufficient_funds: "The source account has less than this amount available.",
  instrument_not_usable: "The account is not open.",
  rate_limited: "Too many requests: wait as long as retry-after says.",
  internal_error: "Something went wrong on our side.",
  customer_endpoint_failed: "Your customer endpoint did not answer with a customer record.",
  unavailable: "Try again in a moment.",
};
const oauthDescriptions: Partial<Record<OAuthErrorCode, string>> = {
  invalid_grant: "The refresh token is unknown, expired or revoked: the person must authorize again.",
  unsupported_grant_type: "grant_type is authorization_code or refresh_token.",
};

/** Every reason that this route may answer: those that follow from its shape, and those its documentation names. */
export function refusalsOf(route: DocumentedRoute): ErrorReason[] {
  const reasons = new Set<ErrorReason>();
  if (route.who === "client") add("invalid_client");
  if (route.who === "user") add("missing_token", "invalid_token", "token_expired", "token_superseded");
  add("not_acceptable");
  if (route.params) add("not_found");
  if (route.query) add("validation_failed");
  if (route.takesIdempotencyKey) add("invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress");
  if (route.body) add("invalid_json", "validation_failed", "payload_too_large", "unsupported_media_type");
  add(...(route.documentation?.refusals ?? []), "rate_limited", "internal_error", "unavailable");
  return [...reasons];

  function add(...more: ErrorReason[]) {
    for (const reason of more) reasons.add(reason);
  }
}

/** The responses of a route that are no success, by status, each reason with an example. */
export function refusalResponses(route: DocumentedRoute): Json {
  const reasons = refusalsOf(route);
  if (route.isOAuth) return oauthResponses(reasons, route.documentation?.oauthErrors ?? []);
  const byStatus = Map.groupBy(reasons, (reason) => errorStatuses[reason]);
  return Object.fromEntries(
    [...byStatus].map(([status, here]) => [
      String(status),
      {
        description: here.map((reason) => `\`${reason}\``).join(", "),
        headers: refusalHeaders(status),
        content: {
          "application/json": {
            schema: {
              allOf: [
                { $ref: "#/components/schemas/Error" },
                { type: "object", properties: { code: { const: status }, reason: { enum: here } } },
              ],
            },
            examples: Object.fromEntries(here.map((reason) => [reason, { $ref: `#/components/examples/${reason}` }])),
          },
        },
      },
    ]),
  );
}

/** An example per reason, for `components.examples`. */
export function refusalExamples(reasons: Iterable<ErrorReason>): Json {
  return Object.fromEntries([...new Set(reasons)].map((reason) => [reason, { value: exampleRefusal(reason) }]));
}

function exampleRefusal(reason: ErrorReason) {
  const errors = [{ field: "limit", message: "Is at most 100." }];
  const isOfFields = reason === "validation_failed";
  return presentRefusal(
    { refuse: reason, description: descriptions[reason], ...(isOfFields && { errors }) },
    requestId,
  );
}

/** RFC 6749 section 5.2: what cannot be understood is invalid_request with its own status. Decision D5 */
function oauthResponses(reasons: ErrorReason[], own: readonly OAuthErrorCode[]): Json {
  const examples = [
    ...reasons.map((refuse) => ({
      status: errorStatuses[refuse],
      name: refuse,
      value: presentOAuthRefusal({ refuse, description: descriptions[refuse] }),
    })),
    ...own.map((error) => ({
      status: oauthErrorStatuses[error],
      name: error,
      value: { error, error_description: oauthDescriptions[error] ?? error },
    })),
  ];
  return Object.fromEntries(
    [...Map.groupBy(examples, ({ status }) => status)].map(([status, here]) => {
      const errors = [...new Set(here.map(({ value }) => value.error))];
      return [
        String(status),
        {
          description: errors.map((error) => `\`${error}\``).join(", "),
          headers: refusalHeaders(status),
          content: {
            "application/json": {
              schema: {
                allOf: [
                  { $ref: "#/components/schemas/OAuthError" },
                  { type: "object", properties: { error: { enum: errors } } },
                ],
              },
              examples: Object.fromEntries(here.map(({ name, value }) => [name, { value }])),
            },
          },
        },
      ];
    }),
  );
}

function refusalHeaders(status: number): Json {
  return {
    "request-id": { $ref: "#/components/headers/RequestId" },
    ...(status === 401 && { "www-authenticate": { $ref: "#/components/headers/WwwAuthenticate" } }),
    ...((status === 429 || status === 503) && { "retry-after": { $ref: "#/components/headers/RetryAfter" } }),
  };
}
