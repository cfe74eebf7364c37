import type { ErrorReason, OAuthReason } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { presentOAuthRefusal, presentRefusal, refuse, refuseFields, statusOf } from "../frame/refusal.ts";
import type { DocumentedRoute } from "../frame/route-documentation.ts";
import type { Json } from "./json-schemas.ts";

const requestId = "0198c0de-0000-7000-8000-0000000000ff";
const fieldsRefused = refuseFields([{ field: "limit", message: `Is at most ${limits.pageSizeMax}.` }]);

/** Every reason that this route may answer: those that follow from its shape, and those its documentation names. */
export function refusalsOf(route: DocumentedRoute): ErrorReason[] {
  const reasons = new Set<ErrorReason>();
  if (route.who === "client") add("invalid_client");
  if (route.who === "user") add("missing_token", "invalid_token", "token_expired", "token_superseded");
  add("not_acceptable");
  if (route.params) add("not_found");
  if (route.query) add("validation_failed");
  if (route.takesIdempotencyKey) add("invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress");
  if (route.isAboutKey) add("invalid_idempotency_key", "idempotency_in_progress");
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
  if (route.isOAuth) return oauthResponses(reasons, route.documentation?.oauthRefusals ?? []);
  const byStatus = Map.groupBy(reasons, statusOf);
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
  return presentRefusal(reason === "validation_failed" ? fieldsRefused : refuse(reason), requestId);
}

/** RFC 6749 section 5.2: what cannot be understood is invalid_request with its own status. Decision D5 */
function oauthResponses(reasons: ErrorReason[], own: readonly OAuthReason[]): Json {
  const examples = [...reasons, ...own].map((name) => ({
    status: statusOf(name),
    name,
    value: presentOAuthRefusal(name === "validation_failed" ? refuse("invalid_request") : refuse(name)),
  }));
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
