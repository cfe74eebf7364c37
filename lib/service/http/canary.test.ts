import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenTelemetry } from "../../../server/open-telemetry.ts";
import { sandboxEventKinds } from "../../contract/sandbox-events.ts";
import { chooseTracing, tracing } from "../../kit/spans.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import type { HttpListener } from "../../kit/testing/http-listener.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import { flushEventLog } from "../sandbox/events/event-log.ts";
import { dumpDatabase, findCanaries } from "../testing/canaries.ts";
import { type CallAnswer, type CallOptions, createTestClient, type TestClient } from "../testing/clients.ts";
import { startListeningService } from "../testing/listening-service.ts";
import { personDetails } from "../testing/people.ts";
import { authorizeByHand } from "../testing/visits.ts";
import { startServiceWorkers } from "../workers/start-workers.ts";

// Uses secret and personal data, which must not appear anywhere afterwards.

const redirectUri = "https://partner.example/callback";
const logFolder = mkdtempSync(join(tmpdir(), "canary-"));
const logFile = join(logFolder, "service.log");
// Before the log is opened.
process.env["LOG_FILE"] = logFile;
process.env["LOG_LEVEL"] = "trace";

const person = {
  ssn: "587213465",
  date_of_birth: "1987-03-29",
  address1: "77 Canary Perch",
  address2: "Cage 4b of Aviary",
  ip_address: "203.0.113.197",
};
const verifier = `canary-verifier-${randomUUID()}`;

let service: HttpListener;
let fake: FakeServer;
let collector: FakeServer;
let workers: { stop: () => Promise<void> };
beforeAll(async () => {
  collector = await startFakeServer();
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url;
  chooseTracing(
    startOpenTelemetry({
      serviceName: "plainbook",
      version: "1.2.3",
      roles: ["service-api"],
      environment: process.env,
    }),
  );
  service = await startListeningService();
  fake = await startFakeServer();
  workers = startServiceWorkers();
});
afterAll(async () => {
  await workers.stop();
  await fake.stop();
  await service.stop();
  await collector.stop();
  rmSync(logFolder, { recursive: true });
});

test("canary ssn, tokens, codes and secrets appear in no table, log line, error body, webhook or span", async () => {
  const canaries: Record<string, string> = { ...person, verifier };
  const bodies: string[] = [];
  const refusals: CallAnswer[] = [];
  const fresh = await createTestClient();
  const { call } = recording(fresh, { bodies, refusals });
  const client = { ...fresh, call };
  Object.assign(canaries, {
    clientSecret: fresh.clientSecret,
    webhookSecret: fresh.webhookSecret.replace("whsec_", ""),
    customerEndpointSecret: fresh.customerEndpointSecret,
  });
  await call("PUT", "/sandbox/client", { body: { redirect_uris: [redirectUri], customers_url: fake.url } });
  await call("PUT", "/sandbox/webhook_endpoint", { body: { url: `${fake.url}/webhooks` } });

  // Onboarding: intent, decision, session token, consent, tokens; the business by a code instead of a trusted login.
  const phone = newPhone();
  const intent = await call("POST", "/v1/user_intent", {
    body: { ...personDetails({ phone }), ...person },
    headers: { "idempotency-key": randomUUID() },
  });
  expect(intent.status).toBe(201);
  const sellerId = { user_intent_id: String(intent.json["id"]) };
  await expect
    .poll(async () => (await call("GET", `/v1/user_intent/${sellerId.user_intent_id}`)).json["status"], {
      interval: 50,
    })
    .toBe("approved");
  const seller = await connect(client, { ...sellerId, phone }, { daysAgo: 0 });
  const business = await connect(
    client,
    { user_id: fresh.businessUserId, phone: fresh.businessUserPhone },
    { daysAgo: 31 },
  );
  expect(business.canaries["verificationCode"]).toMatch(/^\d{6}$/);
  for (const [name, value] of Object.entries(seller.canaries)) canaries[`seller's ${name}`] = value;
  for (const [name, value] of Object.entries(business.canaries)) canaries[`business's ${name}`] = value;

  // A payout, settled, with webhooks.
  const source = await firstAccount(client, business.accessToken);
  const destination = await firstAccount(client, seller.accessToken);
  const order = { name: "Payout", amount: 12.5, source_id: source, destination_id: destination };
  const headers = { "idempotency-key": randomUUID() };
  const routine = await call("POST", "/v1/routines/book", { body: order, bearer: business.accessToken, headers });
  expect(routine.status).toBe(201);
  await expect
    .poll(() => fake.requests.filter(({ body }) => body.includes("transfer_updated")).length)
    .toBeGreaterThan(0);

  await provokeRefusals(client, { ...seller, intentId: sellerId.user_intent_id });
  // A secret in the body, accepted and refused.
  const posted = { client_id: fresh.clientId, client_secret: fresh.clientSecret, grant_type: "refresh_token" };
  for (const refresh_token of [seller.canaries["refreshToken"] ?? "", "gwr_unknown"]) {
    await call("POST", "/v1/oauth/token", { form: { ...posted, refresh_token }, authorization: null });
  }
  expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([400, 401, 403, 404, 415]));

  await flushEventLog();
  const dump = await dumpDatabase();
  await tracing()?.stop();
  const spans = collector.requests.map(({ body }) => body).join("\n");
  const logs = readFileSync(logFile, "utf8");
  const webhooks = JSON.stringify(fake.requests.filter(({ path }) => path === "/webhooks"));
  const errors = refusals.map(({ text, headers: sent }) => text + JSON.stringify([...sent])).join("\n");
  // Proves that the search works.
  expect(findCanaries(dump, { phone })).toEqual(["phone"]);
  expect(logs.split("\n").length).toBeGreaterThan(refusals.length);
  expect(webhooks).toContain("user_intent_updated");
  expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(["/v1/traces"]));
  for (const name of ["createBookRoutine", "set of bookings", "webhook delivery", "settlement", "screening"]) {
    expect(spans).toContain(name);
  }
  for (const name of ["GET /v1/customers/{customer_id}", "transaction", "commit", "postgresql", "plainbook"]) {
    expect(spans).toContain(name);
  }
  expect(Object.keys(canaries).length).toBeGreaterThanOrEqual(18);
  for (const kind of sandboxEventKinds) expect(dump).toMatch(new RegExp(`sandbox_events .*"kind": "${kind}"`));

  expect(findCanaries(dump, canaries)).toEqual([]);
  expect(findCanaries(logs, { ...canaries, phone })).toEqual([]);
  expect(findCanaries(webhooks, { ...canaries, phone })).toEqual([]);
  expect(findCanaries(spans, { ...canaries, phone })).toEqual([]);
  expect(findCanaries(errors, { ...canaries, phone })).toEqual([]);
  expect(findCanaries(bodies.join("\n"), person)).toEqual([]);
});

/** Records all responses and refusals. */
function recording(client: TestClient, { bodies, refusals }: { bodies: string[]; refusals: CallAnswer[] }) {
  async function call(method: string, path: string, options?: CallOptions): Promise<CallAnswer> {
    const answer = await client.call(method, path, options);
    bodies.push(answer.text);
    if (answer.status >= 400) refusals.push(answer);
    return answer;
  }
  return { call };
}

type Person = { phone: string; user_intent_id?: string; user_id?: string };

/** Authorizes from session token to refreshed pair, and returns every secret on the way. */
async function connect(client: TestClient, { phone, ...id }: Person, { daysAgo }: { daysAgo: number }) {
  const customer_id = randomUUID();
  const lastAuthenticationTime = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  fake.answer(({ path }, response) => {
    if (!path.startsWith("/v1/customers")) return response.writeHead(204).end();
    const record = { customer_id, first_name: "Grace", last_name: "O’Malley", phone, lastAuthenticationTime };
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(record));
  });
  const minted = await client.call("POST", "/v1/partner/identity/verification", {
    body: { provider: client.provider, provider_data: { customer_id }, ...id },
  });
  const sessionToken = String(minted.json["token"]);
  const address = new URL("/login/oauth/authorize", service.url);
  address.search = new URLSearchParams({
    session_token: sessionToken,
    ...id,
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    state: "a state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  const visit = await authorizeByHand(address, { clientId: client.clientId, phone });
  const code = visit.returnTo.searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
  const first = (await client.call("POST", "/v1/oauth/token", { form })).json;
  const refresh = { grant_type: "refresh_token", refresh_token: String(first["refresh_token"]) };
  const second = (await client.call("POST", "/v1/oauth/token", { form: refresh })).json;
  const accessToken = String(second["access_token"]);
  const canaries = {
    sessionToken,
    visitSecret: visit.visitSecret,
    code,
    firstAccessToken: String(first["access_token"]),
    firstRefreshToken: refresh.refresh_token,
    accessToken,
    refreshToken: String(second["refresh_token"]),
    ...(visit.verificationCode && { verificationCode: visit.verificationCode }),
  };
  return { accessToken, code, canaries: canaries as Record<string, string> };
}

async function firstAccount({ call }: Pick<TestClient, "call">, bearer: string): Promise<string> {
  const accounts = (await call("GET", "/v1/accounts", { bearer })).json["accounts"] as { id: string }[];
  return accounts[0]?.id ?? "";
}

/** Sends canaries in wrong places, to catch echoes of the input. */
async function provokeRefusals(
  { call }: TestClient,
  { accessToken, code, intentId }: { accessToken: string; code: string; intentId: string },
): Promise<void> {
  const details = personDetails({ phone: newPhone() });
  await call("POST", "/v1/user_intent", { body: { ...details, ssn: `${person.ssn}0`, note: person.ssn } });
  await call("POST", "/v1/user_intent", { body: { ...details, ...person, metadata: { id: person.ssn } } });
  await call("POST", "/v1/user_intent", { rawBody: JSON.stringify(person), headers: { "content-type": "text/plain" } });
  await call("POST", "/v1/user_intent", {
    rawBody: `{"ssn":"${person.ssn}"`,
    headers: { "content-type": "application/json" },
  });
  await call("GET", `/v1/user?access_token=${accessToken}`, { authorization: null });
  await call("GET", "/v1/user", { bearer: `${accessToken}x` });
  await call("GET", `/v1/transfers/${accessToken}`, { bearer: accessToken });
  await call("GET", `/v1/${person.ssn}?code=${code}`);
  await call("POST", "/v1/routines/book", { bearer: accessToken, body: { name: person.ssn } });
  await call("POST", "/v1/partner/identity/verification", {
    body: { provider: person.ssn, provider_data: { customer_id: person.ssn }, user_intent_id: intentId },
  });
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
  await call("POST", "/v1/oauth/token", { form, authorization: `Basic ${btoa(`${person.ssn}:${code}`)}` });
  await call("POST", "/v1/oauth/token", { form: { ...form, code_verifier: `${verifier}x` } });
  await call("POST", "/v1/oauth/token", { form: { grant_type: "refresh_token", refresh_token: accessToken } });
}
