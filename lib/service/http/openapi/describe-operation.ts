import type * as z from "zod/mini";
import type { ErrorReason, OAuthReason } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { DocumentedRoute } from "../frame/define-route.ts";
import { presentOAuthRefusal, presentRefusal, refuse, refuseFields, statusOf } from "../frame/refusal.ts";
import { callbacksOf } from "./describe-callbacks.ts";
import { exampleOf, type Json, schemaOf } from "./json-schemas.ts";

const callers = {
  client: { security: [{ clientCredentials: [] }], sentence: "Called with the client's credentials (Basic)." },
  user: { security: [{ accessToken: [] }], sentence: "Called with a user's access token (Bearer)." },
  // OpenAPI has no scheme for credentials in a body, so the requirement is optional and the text explains it.
  oauthClient: {
    security: [{ clientCredentials: [] }, {}],
    sentence: "Called with the client's credentials (Basic, or client_id and client_secret in the body, not both).",
  },
  operator: { security: [{ operatorToken: [] }], sentence: "Called with the operator's token (Bearer)." },
  anyone: { security: [], sentence: "Called without credentials." },
};

export function describeOperation(route: DocumentedRoute): Json {
  const { operation, who, documentation } = route;
  const callbacks = callbacksOf(operation);
  const { security, sentence } = callers[who === "client" && route.isOAuth ? "oauthClient" : who];
  return {
    operationId: operation,
    summary: documentation.summary,
    // Viewers show security requirements differently, so the text repeats them.
    description: `${documentation.description ?? `${documentation.summary}.`} ${sentence}`,
    tags: [tagOf(route.path)],
    security,
    parameters: describeParameters(route),
    ...(route.body && { requestBody: describeBody(route, documentation.requestBody ?? route.body) }),
    responses: { ...describeSuccess(route), ...refusalResponses(route) },
    ...(callbacks && { callbacks }),
  };
}

export function tagOf(path: string): string {
  const [first, second] = path.split("/").slice(1);
  if (first === "sandbox") return "Sandbox";
  if (first === "clients") return "Clients";
  if (first === "v1" && second === "partner") return "Trusted authentication";
  if (first === "v1" && (second === "user" || second === "user_intent")) return "People";
  if (first === "v1" && second !== "oauth") return "Money";
  return "Authorization";
}

const parameterDescriptions: Record<string, string> = {
  limit: "The page size.",
  starting_after: "The `next` of the previous page.",
  routine_id: "Only transfers of this routine.",
  status: "Only transfers with this status.",
  phone: "The phone that received the texts.",
  seconds: "How far ahead, in seconds.",
  client_id: "The client.",
};

function describeParameters({ params, query, takesIdempotencyKey, isAboutKey }: DocumentedRoute): Json[] {
  return [
    ...parametersIn("path", params),
    ...parametersIn("query", query),
    ...(takesIdempotencyKey ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ...(isAboutKey ? [{ $ref: "#/components/parameters/VoidedIdempotencyKey" }] : []),
    { $ref: "#/components/parameters/Traceparent" },
  ];
}

// Tools that import the document invent values where it has no example.
const exampleId = "0198c0de-0000-7000-8000-000000000001";
const requiredExamples: Record<string, string> = { phone: "+12025550123", seconds: "86400", client_id: "demo-client" };

function parametersIn(location: "path" | "query", schema: z.ZodMiniType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    ...(required.includes(name) && { required: true }),
    description: parameterDescriptions[name] ?? "Which one.",
    schema: property,
    ...(location === "path" && { example: exampleId }),
    ...(location === "query" && required.includes(name) && { example: requiredExamples[name] }),
  }));
}

function describeBody({ isOAuth }: DocumentedRoute, body: z.ZodMiniType): Json {
  const content = describeContent(body);
  return {
    // Required even when all its fields are optional: an empty body is not JSON.
    required: true,
    content: { "application/json": content, ...(isOAuth && { "application/x-www-form-urlencoded": content }) },
  };
}

function describeSuccess({ documentation, takesIdempotencyKey }: DocumentedRoute): Json {
  const { status, body, mediaType = "application/json" } = documentation.answer;
  return {
    [String(status)]: {
      description: body ? "Success." : "Success; the response has no body.",
      headers: {
        "request-id": { $ref: "#/components/headers/RequestId" },
        ...(takesIdempotencyKey && { "idempotent-replayed": { $ref: "#/components/headers/IdempotentReplayed" } }),
      },
      ...(body && { content: { [mediaType]: describeContent(body) } }),
    },
  };
}

function describeContent(schema: z.ZodMiniType): Json {
  const examples = exampleOf(schema);
  return { schema: schemaOf(schema), ...(examples && { examples }) };
}

const requestId = "0198c0de-0000-7000-8000-0000000000ff";
const fieldsRefused = refuseFields([{ field: "limit", message: `Must be at most ${limits.pageSizeMax}.` }]);

/** Every reason this route can refuse with: implied by the route, or documented. */
export function refusalsOf(route: DocumentedRoute): ErrorReason[] {
  const reasons = new Set<ErrorReason>();
  if (route.who === "client") add("invalid_client");
  if (route.who === "user") add("missing_token", "invalid_token", "token_expired", "token_superseded");
  if (route.who === "operator") add("missing_token", "invalid_token");
  add("not_acceptable");
  if (route.params) add("not_found");
  if (route.query) add("validation_failed");
  if (route.takesIdempotencyKey) add("invalid_idempotency_key", "idempotency_key_reused", "idempotency_in_progress");
  if (route.isAboutKey) add("invalid_idempotency_key", "idempotency_in_progress");
  if (route.body) add("invalid_json", "validation_failed", "payload_too_large", "unsupported_media_type");
  add(...(route.documentation.refusals ?? []), "rate_limited", "internal_error", "unavailable");
  return [...reasons];

  function add(...more: ErrorReason[]) {
    for (const reason of more) reasons.add(reason);
  }
}

function refusalResponses(route: DocumentedRoute): Json {
  const reasons = refusalsOf(route);
  if (route.isOAuth) return oauthResponses(reasons, route.documentation.oauthRefusals ?? []);
  const byStatus = Map.groupBy(reasons, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, here]) => [
      String(status),
      describeRefusal(status, here, {
        schema: "Error",
        properties: { code: { const: status }, reason: { type: "string", "x-extensible-enum": here } },
        examples: here.map((reason) => [reason, { $ref: `#/components/examples/${reason}` }]),
      }),
    ]),
  );
}

function describeRefusal(
  status: number,
  words: string[],
  { schema, properties, examples }: { schema: string; properties: Json; examples: [string, Json][] },
): Json {
  return {
    description: words.map((word) => `\`${word}\``).join(", "),
    headers: {
      "request-id": { $ref: "#/components/headers/RequestId" },
      ...(status === 401 && { "www-authenticate": { $ref: "#/components/headers/WwwAuthenticate" } }),
      ...((status === 429 || status === 503) && { "retry-after": { $ref: "#/components/headers/RetryAfter" } }),
    },
    content: {
      "application/json": {
        schema: { allOf: [{ $ref: `#/components/schemas/${schema}` }, { type: "object", properties }] },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export function refusalExamples(reasons: Iterable<ErrorReason>): Json {
  const examples = [...new Set(reasons)].map((reason) => {
    const value = presentRefusal(reason === "validation_failed" ? fieldsRefused : refuse(reason), requestId);
    return [reason, { value }];
  });
  return Object.fromEntries(examples);
}

// RFC 6749 section 5.2: unparsable requests are invalid_request with their own status. Decision D5
function oauthResponses(reasons: ErrorReason[], additional: readonly OAuthReason[]): Json {
  const examples = [...reasons, ...additional].map((name) => ({
    status: statusOf(name),
    name,
    value: presentOAuthRefusal(name === "validation_failed" ? refuse("invalid_request") : refuse(name)),
  }));
  return Object.fromEntries(
    [...Map.groupBy(examples, ({ status }) => status)].map(([status, here]) => {
      const errors = [...new Set(here.map(({ value }) => value.error))];
      const response = describeRefusal(status, errors, {
        schema: "OAuthError",
        properties: { error: { type: "string", "x-extensible-enum": errors } },
        examples: here.map(({ name, value }) => [name, { value }]),
      });
      return [String(status), response];
    }),
  );
}

const uuid = { type: "string", format: "uuid" };
const text = { type: "string" };

const parameters = [
  required("client_id", text, "Your client.", "demo-client"),
  required(
    "redirect_uri",
    { type: "string", format: "uri" },
    "A registered redirect_uri, matched exactly.",
    "http://localhost:3000/callback",
  ),
  required("response_type", { const: "code" }, "Always `code`.", "code"),
  parameter("session_token", text, "The identity verification token; required if trusted authentication is enabled."),
  parameter("user_intent_id", uuid, "Required when the token was minted for a user intent."),
  parameter("user_id", uuid, "The user that the token was minted for."),
  parameter("state", text, "Returned unchanged."),
  parameter("code_challenge", { type: "string", pattern: "^[A-Za-z0-9_-]{43}$" }, "PKCE (RFC 7636)."),
  parameter("code_challenge_method", { const: "S256" }, "`plain` is refused."),
];

/** The authorization page, which answers with redirects and pages. Decision D9 */
export function describeAuthorizationPage(authUrl: string): Json {
  return {
    servers: [{ url: authUrl }],
    get: {
      operationId: "openAuthorizationPage",
      summary: "Redirect the person's browser here",
      description:
        "Redirects to `redirect_uri` with `code` and `iss`, or with `error` (`access_denied`, `invalid_request`, …), `error_description` and `iss`; always with your `state`.",
      tags: ["Authorization"],
      security: [],
      parameters,
      responses: {
        303: {
          description: "Redirects to the page, or to redirect_uri with an error.",
          headers: {
            location: { description: "The redirect's target.", schema: { type: "string", format: "uri-reference" } },
          },
        },
        400: {
          description: "client_id or redirect_uri is invalid: an error page, without a redirect.",
          content: { "text/html": { schema: text } },
        },
      },
    },
  };
}

function parameter(name: string, schema: Json, description: string): Json {
  return { name, in: "query", description, schema };
}

function required(name: string, schema: Json, description: string, example: string): Json {
  return { ...parameter(name, schema, description), required: true, example };
}
