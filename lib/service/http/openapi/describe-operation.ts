import type * as z from "zod/mini";
import type { DocumentedRoute } from "../frame/route-documentation.ts";
import { callbacksOf } from "./describe-customer-endpoint.ts";
import { refusalResponses } from "./describe-refusals.ts";
import { exampleOf, type Json, schemaOf } from "./json-schemas.ts";

const callers = {
  client: { security: [{ clientCredentials: [] }], sentence: "Called with the client's credentials (Basic)." },
  user: { security: [{ accessToken: [] }], sentence: "Called with a user's access token (Bearer)." },
  // OpenAPI has no scheme for credentials in a body, so the requirement is optional and the sentence says the rest.
  oauthClient: {
    security: [{ clientCredentials: [] }, {}],
    sentence: "Called with the client's credentials (Basic, or client_id and client_secret in the body, not both).",
  },
  anyone: { security: [], sentence: "Called without credentials." },
};

/** The operation object of one route: everything that its answers depend on, and every answer. */
export function describeOperation(route: DocumentedRoute): Json {
  const { operation, who, documentation } = route;
  const callbacks = callbacksOf(operation);
  const { security, sentence } = callers[who === "client" && route.isOAuth ? "oauthClient" : who];
  return {
    operationId: operation,
    summary: documentation?.summary ?? operation,
    // Readers of the document show a security requirement in ways of their own, so it is said in words too.
    description: `${documentation?.description ?? `${documentation?.summary}.`} ${sentence}`,
    tags: [tagOf(route.path)],
    security,
    parameters: describeParameters(route),
    ...(route.body && { requestBody: describeBody(route, documentation?.requestBody ?? route.body) }),
    responses: { ...describeSuccess(route), ...refusalResponses(route) },
    ...(callbacks && { callbacks }),
  };
}

/** Which section of the reference an operation belongs to. */
export function tagOf(path: string): string {
  const [first, second] = path.split("/").slice(1);
  if (first === "sandbox") return "Sandbox";
  if (first === "v1" && second === "partner") return "Trusted authentication";
  if (first === "v1" && (second === "user" || second === "user_intent")) return "People";
  if (first === "v1" && second !== "oauth") return "Money";
  return "Authorization";
}

/** `/v1/routines/:id` as OpenAPI writes it. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

const parameterDescriptions: Record<string, string> = {
  limit: "How many at most.",
  starting_after: "Continue after this one: the `next` of the page before.",
  routine_id: "Only transfers of this routine.",
  status: "Only those in this status.",
  phone: "The phone that was texted.",
  seconds: "How far ahead, in seconds.",
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

function parametersIn(place: "path" | "query", schema: z.ZodMiniType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    ...(required.includes(name) && { required: true }),
    description: parameterDescriptions[name] ?? "Which one.",
    schema: property,
  }));
}

function describeBody({ isOAuth }: DocumentedRoute, body: z.ZodMiniType): Json {
  const content = describeContent(body);
  return {
    // A body of which nothing is required must be there all the same: it is JSON.
    required: true,
    content: { "application/json": content, ...(isOAuth && { "application/x-www-form-urlencoded": content }) },
  };
}

function describeSuccess({ documentation, takesIdempotencyKey }: DocumentedRoute): Json {
  const { status, body, mediaType = "application/json" } = documentation?.answer ?? { status: 200 };
  return {
    [String(status)]: {
      description: body ? "Done." : "Done; the answer is empty.",
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
