import { randomInt, randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { type FakeServer, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { type DocumentedOperation, judgeOf, operationsOf } from "../../testing/open-api.ts";
import { createIntent, personDetails } from "../../testing/people.ts";
import { createClientWithSeller, insertTestSeller } from "../../testing/routines.ts";
import { broken, fitting, hostileValues, type JsonSchema } from "../../testing/schema-arbitrary.ts";
import { issueTestTokens } from "../../testing/tokens.ts";

// Every response must be documented and not a 5xx. FUZZ_SEED repeats a run.
const seed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
const numRuns = Number(process.env["FUZZ_RUNS"] ?? 40);
const api = createSandboxApi();
const document = (await (await api.request("/openapi.json")).json()) as JsonSchema;
const operations = operationsOf(document);
const judge = judgeOf(document);

const succeeded = new Set<string>();
let customerEndpoint: FakeServer;

beforeAll(async () => {
  process.stdout.write(`Fuzzing ${operations.length} operations with FUZZ_SEED=${seed}\n`);
  customerEndpoint = await startFakeServer();
});
afterAll(() => customerEndpoint.stop());

describe("no response is a 5xx, and the document lists each of them", () => {
  test.each(operations.map((operation) => [operation.operationId, operation] as const))(
    "%s",
    async (_name, operation) => {
      const client = await openFuzzedClient();
      const requests = requestsTo(operation, client);
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const answer = await api.fetch(toRequest(operation, request));
          if (answer.ok) succeeded.add(operation.operationId);
          const problem = await judge(operation, answer);
          // An unreachable customer endpoint is the one 5xx that a caller can cause.
          const isOurFault = answer.status >= 500 && answer.status !== 502;
          expect(problem ?? (isOurFault ? `${answer.status}` : undefined)).toBeUndefined();
        }),
        { seed, numRuns },
      );
    },
    60_000,
  );
});

// A fuzzer whose requests are all refused early finds nothing.
test("most requests reach their operations", () => {
  expect(succeeded.size).toBeGreaterThan((operations.length * 2) / 3);
});

type FuzzedClient = Awaited<ReturnType<typeof openFuzzedClient>>;
type FuzzedRequest = {
  path: Record<string, string>;
  query: [string, string][];
  headers: [string, string][];
  body: BodyInit | undefined;
};

async function openFuzzedClient() {
  const client = await createClientWithSeller();
  const phone = newPhone();
  const intent = await createIntent(client, personDetails({ phone }));
  const { refreshToken } = await issueTestTokens(client, (await insertTestSeller(client)).userId);
  await client.call("PUT", "/sandbox/client", { body: { customers_url: customerEndpoint.url } });
  customerEndpoint.answer((_request, response) => {
    const lastAuthenticationTime = new Date().toISOString();
    const customer = { customer_id: "42", first_name: "Grace", last_name: "Quay", phone, lastAuthenticationTime };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(customer));
  });
  const routine = await client.call("POST", "/v1/routines/book", {
    bearer: client.businessToken,
    body: { name: "Payout", amount: 12.34, source_id: client.operatingId, destination_id: client.walletId },
  });
  const { id, transfer_id } = routine.json as { id: string; transfer_id: string };
  const ids = [intent.id, id, transfer_id, client.operatingId, client.walletId, client.sellerId];
  const known: Record<string, unknown[]> = {
    id: ids,
    transfer_id: [transfer_id],
    routine_id: [id],
    starting_after: [id, transfer_id],
    source_id: [client.operatingId],
    destination_id: [client.walletId],
    user_id: [client.sellerId],
    user_intent_id: [intent.id],
    provider: [client.provider],
    customer_id: ["42"],
    refresh_token: [refreshToken],
    phone: [newPhone(), client.businessUserPhone],
    redirect_uri: ["https://partner.example/callback"],
    // Sends nothing anywhere, and delays no call on purpose.
    url: ["http://127.0.0.1:1/webhooks"],
    customers_url: ["http://127.0.0.1:1"],
    latency_ms: [0],
    seconds: [0, 1, 60],
  };
  return { ...client, ids, known };
}

function requestsTo(operation: DocumentedOperation, client: FuzzedClient): fc.Arbitrary<FuzzedRequest> {
  const { parameters, bodySchema, method } = operation;
  const parametersIn = (location: string) => parameters.filter((parameter) => parameter.in === location);
  const path = fc.record(
    Object.fromEntries(
      parametersIn("path").map(({ name }) => [
        name,
        fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...client.ids) }, hostileTexts().filter(isSegment), fc.uuid()),
      ]),
    ),
  );
  const query = fc.oneof(
    { weight: 3, arbitrary: fittingQuery(parametersIn("query"), client) },
    fc
      .tuple(fc.constantFrom(...parametersIn("query").map(({ name }) => name), "unknown"), hostileTexts())
      .map((pair) => [pair]),
    fc.constant<[string, string][]>([
      ["limit", "1"],
      ["limit", "2"],
    ]),
  );
  const body =
    bodySchema && method !== "GET" ? bodies(fitting(bodySchema, document, client.known)) : fc.constant(undefined);
  return fc
    .record({ path, query, authorization: authorizations(operation, client), extra: extraHeaders(), body })
    .map(({ path, query, authorization, extra, body }) => ({
      path,
      query: query as [string, string][],
      headers: [...authorization, ...(body ? [["content-type", body.type] as [string, string]] : []), ...extra],
      body: body?.content,
    }));
}

function fittingQuery(
  parameters: DocumentedOperation["parameters"],
  { known }: FuzzedClient,
): fc.Arbitrary<[string, string][]> {
  const schema = {
    type: "object",
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  if (parameters.length === 0) return fc.constant([]);
  return fitting(schema, document, known).map((query) =>
    Object.entries(query as object).map(([name, value]) => [name, String(value)] as [string, string]),
  );
}

function bodies(value: fc.Arbitrary<unknown>): fc.Arbitrary<{ type: string; content: BodyInit }> {
  const json = (content: BodyInit) => ({ type: "application/json", content });
  return fc.oneof(
    { weight: 8, arbitrary: value.map((body) => json(JSON.stringify(body))) },
    { weight: 8, arbitrary: broken(value).map((body) => json(JSON.stringify(body) ?? "")) },
    fc.constantFrom(
      json("["),
      json("[".repeat(60_000)),
      json(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`),
      json(`{"name":"${"x".repeat(70_000)}"}`),
      json('{"name":"\\u0000","first_name":"\\ud800"}'),
      json('{"amount":1e400}'),
      json(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
      { type: "text/plain", content: "hello" },
      { type: "application/json; charset=utf-16", content: "{}" },
    ),
    value.map((body) => ({
      type: "application/x-www-form-urlencoded",
      content: new URLSearchParams(
        Object.entries(Object(body)).map(([name, part]) => [
          name,
          typeof part === "string" ? part : JSON.stringify(part),
        ]),
      ).toString(),
    })),
    fc.constant({ type: "application/x-www-form-urlencoded", content: "grant_type=a&grant_type=b&%00=%ff&token=%00" }),
  );
}

function authorizations(operation: DocumentedOperation, client: FuzzedClient): fc.Arbitrary<[string, string][]> {
  const [scheme = ""] = operation.security.flatMap((one) => Object.keys(one));
  const basic = basicCredentials(client.clientId, client.clientSecret);
  const right = scheme === "accessToken" ? [`Bearer ${client.businessToken}`, `Bearer ${client.sellerToken}`] : [basic];
  const wrong = [
    basic,
    `Bearer ${client.sellerToken}x`,
    "Basic %%%",
    "Bearer",
    "Bearer a b",
    `${basic}, ${basic}`,
    "Digest x",
  ];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...right).map((value): [string, string][] => [["authorization", value]]) },
    fc.constantFrom(...wrong).map((value): [string, string][] => [["authorization", value]]),
    fc.constant<[string, string][]>([
      ["authorization", right[0] ?? ""],
      ["authorization", "Basic eDp5"],
    ]),
    fc.constant<[string, string][]>([]),
  );
}

function extraHeaders(): fc.Arbitrary<[string, string][]> {
  const key = randomUUID();
  const choices: [string, string][][] = [
    [],
    [["accept", "application/json"]],
    [["accept", "text/html"]],
    [["accept", "*/*;q=0"]],
    [["idempotency-key", key]],
    [["idempotency-key", `"${key.toUpperCase()}"`]],
    [["idempotency-key", "not a uuid"]],
    [
      ["idempotency-key", key],
      ["idempotency-key", key],
    ],
    [["traceparent", "00-zz"]],
    [["traceparent", `00-${"a".repeat(32)}-${"b".repeat(16)}-01`]],
    [["content-encoding", "gzip"]],
    [["content-length", "999999999"]],
    [["last-event-id", "\u00ff"]],
  ];
  return fc.oneof({ weight: 3, arbitrary: fc.constant<[string, string][]>([]) }, fc.constantFrom(...choices));
}

function toRequest({ method, template }: DocumentedOperation, { path, query, headers, body }: FuzzedRequest): Request {
  const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return new Request(`http://127.0.0.1:4000${filled}${search && `?${search}`}`, {
    method,
    headers: new Headers(headers),
    ...(body !== undefined && { body }),
  });
}

function hostileTexts(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...hostileValues.filter((value) => typeof value === "string").map((text) => text.toWellFormed())),
    fc.string({ unit: "grapheme" }),
  );
}

// An empty segment, or one of dots, makes a different path.
function isSegment(text: string): boolean {
  return text !== "" && !/^\.{1,2}$/.test(text);
}
