import { bodies } from "../../../contract/bodies.ts";
import { limits } from "../../../contract/limits.ts";
import { packageVersion } from "../../../kit/package-version.ts";
import { type DocumentedRoute, templateOf } from "../frame/define-route.ts";
import { describeWebhooks } from "./describe-callbacks.ts";
import { describeAuthorizationPage, describeOperation, refusalExamples, refusalsOf } from "./describe-operation.ts";
import { componentSchemas, type Json } from "./json-schemas.ts";

const description = `Onboarding, authorization and book transfers.

Errors have a \`reason\`: branch on it, never on text. Every response has \`request-id\`, \`cache-control: no-store\` and
\`x-content-type-options: nosniff\`. An unsupported method gets 405 \`method_not_allowed\` with \`allow\`.
Accept new fields, new values of an \`x-extensible-enum\`, and ids that aren't UUIDs.
JSON is UTF-8, at most ${limits.requestBytesMax / 1024} KiB; unknown fields are rejected by name.`;

const sandboxDescription = "`PUT /sandbox/faults` makes any API call fail with any documented status.";

const operatorDescription = `Every change names its author in \`by\` and is recorded with its time. With \`dry_run\`, it's validated and nothing
is saved. A secret is returned only once, by the change that creates it. Invalid fields get 400 \`validation_failed\`.`;

const tags = [
  { name: "People", description: "User intents and users." },
  { name: "Authorization", description: "The page where a person authorizes, and the tokens that result." },
  { name: "Trusted authentication", description: "Saves people a second sign-in." },
  { name: "Money", description: "Accounts, routines and transfers." },
  { name: "Webhooks", description: "Notifications from the service." },
  { name: "Sandbox", description: "Simulates operators and the passage of time. Not in production." },
];

export function buildOpenApiDocument(
  routes: readonly DocumentedRoute[],
  { baseUrl, authUrl }: { baseUrl: string; authUrl: string },
): Json {
  const paths = { "/login/oauth/authorize": describeAuthorizationPage(authUrl), ...describePaths(routes) };
  const used = new Set(
    JSON.stringify(paths)
      .match(/"tags":\["[^"]+"\]/g)
      ?.map((text) => text.slice(9, -2)),
  );
  const webhooks = describeWebhooks();
  return {
    openapi: "3.1.1",
    info: {
      title: "Plainbook",
      version: packageVersion,
      summary: "Moves money between payment instruments of people who have authorized your application.",
      description: used.has("Sandbox") ? `${description}\n\n${sandboxDescription}` : description,
      ...imprint(baseUrl),
    },
    servers: [{ url: baseUrl }],
    tags: tags.filter(({ name }) => name === "Webhooks" || used.has(name)),
    paths,
    webhooks,
    components: {
      schemas: schemasUsedBy([paths, webhooks]),
      examples: examplesOf(routes, paths),
      parameters,
      headers,
      securitySchemes,
    },
  };
}

/** The OpenAPI document of the operator's listener (Decision D23). */
export function buildOperatorDocument(routes: readonly DocumentedRoute[], { baseUrl }: { baseUrl: string }): Json {
  const paths = describePaths(routes);
  const { RequestId, RetryAfter, WwwAuthenticate } = headers;
  return {
    openapi: "3.1.1",
    info: {
      title: "Plainbook for operators",
      version: packageVersion,
      summary: "Registers clients and changes them.",
      description: operatorDescription,
      ...imprint(baseUrl),
    },
    // Served at OPERATOR_PORT.
    servers: [{ url: "/" }],
    tags: [{ name: "Clients", description: "The applications that call the API." }],
    paths,
    components: {
      schemas: schemasUsedBy([paths]),
      examples: examplesOf(routes, paths),
      parameters: { Traceparent: parameters.Traceparent },
      headers: { RequestId, RetryAfter, WwwAuthenticate },
      securitySchemes: {
        operatorToken: { type: "http", scheme: "bearer", description: "The setting OPERATOR_TOKEN." },
      },
    },
  };
}

function describePaths(routes: readonly DocumentedRoute[]): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const template = templateOf(route.path);
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: describeOperation(route) };
  }
  return paths;
}

function imprint(baseUrl: string): Json {
  return {
    contact: { name: "Plainbook", url: baseUrl, email: "integrations@plainbook.example" },
    license: { name: "MIT", url: "https://opensource.org/license/mit" },
  };
}

function examplesOf(routes: readonly DocumentedRoute[], paths: Json): Json {
  const refused = routes.filter((route) => !route.isOAuth).flatMap(refusalsOf);
  return { ...bodyExamples(paths), ...refusalExamples(refused) };
}

// Only the schemas that these operations and webhooks use, so that production shows none of the sandbox's.
function schemasUsedBy(parts: Json[]): Json {
  const schemas = componentSchemas();
  const used = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(parts);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

function bodyExamples(paths: Json): Json {
  const text = JSON.stringify(paths);
  const shown = Object.entries(bodies).filter(([name]) => text.includes(`"#/components/examples/${name}"`));
  return Object.fromEntries(shown.map(([name, { example }]) => [name, { value: example }]));
}

const uuid = { type: "string", format: "uuid" };
const text = { type: "string" };

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: `A UUID, bare or quoted. Repeating the key with the same body returns the first response, for at least ${limits.idempotencyKeyHoursMin} hours.`,
    schema: { type: "string" },
    example: "1b671a64-40d5-491e-99b0-da01ff1f3341",
  },
  VoidedIdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: true,
    description: "The key to void: a UUID, bare or quoted.",
    schema: { type: "string" },
    example: "1b671a64-40d5-491e-99b0-da01ff1f3341",
  },
  Traceparent: {
    name: "traceparent",
    in: "header",
    description: "W3C trace context: its trace id is propagated to everything that this call causes.",
    schema: text,
  },
  WebhookId: {
    name: "webhook-id",
    in: "header",
    required: true,
    description: "The same on every attempt.",
    schema: uuid,
  },
  WebhookTimestamp: {
    name: "webhook-timestamp",
    in: "header",
    required: true,
    description: "The time of this attempt, in seconds.",
    schema: { type: "string", pattern: "^\\d+$" },
  },
  WebhookSignature: {
    name: "webhook-signature",
    in: "header",
    required: true,
    description: "`v1,` and the base64 HMAC-SHA256; two of them, separated by a space, during a secret rotation.",
    schema: text,
  },
};

const headers = {
  RequestId: { description: "Identifies this request in our log; include it when you contact support.", schema: uuid },
  IdempotentReplayed: { description: "`true` if this is the stored response of an earlier request.", schema: text },
  WwwAuthenticate: { description: "The required authentication scheme.", schema: text },
  RetryAfter: { description: "Seconds to wait.", schema: text },
};

const securitySchemes = {
  clientCredentials: {
    type: "http",
    scheme: "basic",
    description: "client_id and client_secret, both form-url-encoded first (RFC 6749 section 2.3.1).",
  },
  accessToken: { type: "http", scheme: "bearer", description: "The access token of a user." },
  customerEndpointSecret: {
    type: "http",
    scheme: "bearer",
    description: "The secret that the service sends to your customer endpoint.",
  },
};
