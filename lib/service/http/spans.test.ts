import { randomUUID } from "node:crypto";
import { type Span, SpanKind } from "@opentelemetry/api";
import { InMemorySpanExporter, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startOpenTelemetry } from "../../../server/open-telemetry.ts";
import { chooseTracing, inSpan, tracing } from "../../kit/spans.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { newTraceId } from "../../kit/trace.ts";
import { authorizeVisit } from "../operations/visits/finish-visit.ts";
import { openVisit } from "../operations/visits/open-visit.ts";
import { flushEventLog } from "../sandbox/events/event-log.ts";
import { servicePool } from "../storage/database.ts";
import { createTestClient } from "../testing/clients.ts";
import { insertTestUser, personDetails } from "../testing/people.ts";
import { createClientWithSeller } from "../testing/routines.ts";
import { authorizationQuery, openTestVisit } from "../testing/visits.ts";
import { startServiceWorkers } from "../workers/start-workers.ts";

// Spans as the SDK exports them, of real requests, sets, statements and deliveries.
const kept: ReadableSpan[] = [];
let fake: FakeServer;
let workers: { stop: () => Promise<void> };
beforeAll(async () => {
  const exporter = new InMemorySpanExporter();
  exporter.export = (spans, done) => {
    kept.push(...spans);
    done({ code: 0 });
  };
  chooseTracing(
    startOpenTelemetry({
      serviceName: "plainbook",
      version: "1.2.3",
      roles: ["service-api"],
      environment: {},
      exporter,
      scheduledDelayMs: 10,
    }),
  );
  fake = await startFakeServer();
  workers = startServiceWorkers();
});
beforeEach(() => {
  kept.length = 0;
});
afterAll(async () => {
  await workers.stop();
  await fake.stop();
  await tracing()?.stop();
});

const parentSpanId = "00f067aa0ba902b7";

test("a request's span has the caller's trace id, which is stored, and its statements as children", async () => {
  const { call } = await createTestClient();
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-01` };
  const intent = await call("POST", "/v1/user_intent", { body: personDetails(), headers });
  const { rows } = await servicePool().query("select trace_id from user_intents where id = $1", [intent.json["id"]]);
  expect(rows[0]?.trace_id).toBe(traceId);

  const request = await spanNamed("createUserIntent", traceId);
  expect(request).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: { spanId: parentSpanId, traceId } });
  expect(request.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.response.status_code": 201,
    "gangway.request_id": intent.headers.get("request-id"),
  });
  const work = await spanNamed("createUserIntent work", traceId);
  const transaction = await spanNamed("transaction", traceId);
  const statement = await spanNamed("insert user_intents", traceId);
  expect(await spanNamed("commit", traceId)).toMatchObject({ kind: SpanKind.CLIENT });
  expect(work).toMatchObject({ kind: SpanKind.INTERNAL, parentSpanContext: request.spanContext() });
  expect(transaction.parentSpanContext?.spanId).toBe(work.spanContext().spanId);
  expect(statement.parentSpanContext?.spanId).toBe(transaction.spanContext().spanId);
  expect(Object.keys(statement.attributes)).toEqual(["db.system.name"]);
});

test("a request without a trace gets its span's trace id", async () => {
  const { call } = await createTestClient();
  const { json } = await call("POST", "/v1/user_intent", { body: personDetails() });
  const { rows } = await servicePool().query("select trace_id from user_intents where id = $1", [json["id"]]);
  expect(await spanNamed("createUserIntent", rows[0]?.trace_id)).toMatchObject({ parentSpanContext: undefined });
});

test("a request refused before its operation has no work span, and a refusal does not fail a work span", async () => {
  const { businessToken, operatingId, walletId, ...client } = await createClientWithSeller();
  const order = { name: "Payout", amount: 1_000_000.01, source_id: operatingId, destination_id: walletId };
  const isWork = ({ name }: ReadableSpan) => name === "createBookRoutine work";
  for (const { bearer, status, worked } of [
    { bearer: "no token", status: 401, worked: 0 },
    { bearer: businessToken, status: 400, worked: 1 },
  ]) {
    const traceId = newTraceId();
    const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, "idempotency-key": randomUUID() };
    expect((await client.call("POST", "/v1/routines/book", { body: order, bearer, headers })).status).toBe(status);
    await spanNamed("createBookRoutine", traceId);
    const work = kept.filter((span) => isWork(span) && isOf(span, traceId));
    expect(work).toHaveLength(worked);
    for (const { attributes } of work) expect(attributes).toEqual({});
  }
});

test("an unsampled trace stays unsampled, even in outgoing calls", async () => {
  const { call } = await createTestClient();
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-00` };
  await call("POST", "/v1/user_intent", { body: personDetails(), headers });
  await call("GET", `/v1/user_intent/${randomUUID()}`);
  await spanNamed("readUserIntent");
  expect(kept.filter((span) => span.spanContext().traceId === traceId)).toEqual([]);
});

test("a set's span is in one request's trace and linked with all others, both ways", async () => {
  const { businessToken, ...client } = await createClientWithSeller();
  const traceIds = [newTraceId(), newTraceId(), newTraceId(), newTraceId()];
  await Promise.all(
    traceIds.map((traceId) =>
      client.call("GET", "/v1/user", {
        bearer: businessToken,
        headers: { traceparent: `00-${traceId}-${parentSpanId}-01` },
      }),
    ),
  );
  const requests = await Promise.all(traceIds.map((traceId) => spanNamed("readUser", traceId)));
  const sets = kept.filter(({ name }) => name === "set of token lookups");
  const members = sets.flatMap((set) => [
    set.parentSpanContext?.spanId,
    ...set.links.map(({ context }) => context.spanId),
  ]);
  expect(members.sort()).toEqual(requests.map((span) => span.spanContext().spanId).sort());
  expect(sets.some(({ links }) => links.length > 0)).toBe(true);
  for (const set of sets) {
    for (const { context } of set.links) {
      const member = requests.find((span) => span.spanContext().spanId === context.spanId);
      expect(member?.links.map((link) => link.context.spanId)).toEqual([set.spanContext().spanId]);
    }
  }
});

test("a payout's booking, settlement and webhooks share a trace, and each webhook has its attempt's span as parent", async () => {
  const { businessToken, operatingId, walletId, ...client } = await createClientWithSeller();
  const order = { name: "Payout", amount: 12.5, source_id: operatingId, destination_id: walletId };
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: `${fake.url}/webhooks` } });
  const traceId = newTraceId();
  const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, "idempotency-key": randomUUID() };
  const { status } = await client.call("POST", "/v1/routines/book", { body: order, bearer: businessToken, headers });
  expect(status).toBe(201);
  const settled = await spanNamed("transfer settled", traceId);
  const settlement = await spanNamed("settlement");
  expect(settled.links.map(({ context }) => context.spanId)).toEqual([settlement.spanContext().spanId]);
  await expect.poll(() => webhooksOf(traceId).length).toBe(2);
  const attempts = () => kept.filter((span) => span.name === "webhook delivery" && isOf(span, traceId));
  await expect.poll(() => attempts().length).toBe(2);
  expect(
    webhooksOf(traceId)
      .map((traceparent) => traceparent.split("-")[2])
      .sort(),
  ).toEqual(
    attempts()
      .map((span) => span.spanContext().spanId)
      .sort(),
  );
  expect(attempts()[0]?.attributes).toMatchObject({
    "gangway.client_id": client.clientId,
    "gangway.attempt": 1,
    "gangway.outcome": "delivered",
    "http.response.status_code": 204,
  });
});

test("a visit's steps are in the visit's trace, linked with the requests of its pages", async () => {
  const client = await createTestClient();
  const traceId = newTraceId();
  const person = await insertTestUser(client);
  const key = await inSpan({ name: "GET /login" }, () => openTestVisit(client, person, { traceId }));
  await inSpan({ name: "POST /login" }, () => authorizeVisit(key));
  for (const [step, page] of Object.entries({ opened: "GET /login", authorized: "POST /login" })) {
    const span = await spanOfStep(step);
    expect(isOf(span, traceId)).toBe(true);
    expect(span.links.map(({ context }) => context)).toEqual([(await spanNamed(page)).spanContext()]);
    expect(span.attributes).toMatchObject({ "gangway.client_id": client.clientId, "gangway.visit_id": key.visitId });
  }
});

test("a refused arrival has a step without a visit", async () => {
  const client = await createTestClient();
  const traceId = newTraceId();
  const query = authorizationQuery(client, await insertTestUser(client), { session_token: "made up" });
  expect((await openVisit(query, { traceId })).kind).toBe("unusable_session_token");
  const span = await spanOfStep("refused");
  expect(isOf(span, traceId)).toBe(true);
  expect(span.attributes).toEqual({ "gangway.client_id": client.clientId, "gangway.step": "refused" });
});

test("errors are recorded by code, without PostgreSQL's message", async () => {
  const query = inSpan({ name: "asking" }, () => servicePool().query("select $1::int from users", ["a-secret"]));
  await expect(query).rejects.toThrow("a-secret");
  for (const name of ["select users", "asking"]) {
    const { attributes, events, status } = await spanNamed(name);
    expect(attributes).toMatchObject({ "error.type": "22P02" });
    expect(JSON.stringify([attributes, events, status])).not.toContain("a-secret");
  }
});

test("a request that waits for a connection stays in its own trace", async () => {
  const pool = servicePool();
  const held = await Promise.all(Array.from({ length: 20 }, () => pool.connect()));
  const traceId = newTraceId();
  const query = inSpan({ name: "asking", traceId }, () => pool.query("select from accounts limit 1"));
  const others = inSpan({ name: "giving back" }, async () => {
    for (const connection of held) connection.release();
  });
  await Promise.all([query, others]);
  expect(await spanNamed("select accounts", traceId)).toBeDefined();
});

test("an idle worker makes no spans", async () => {
  // Events of earlier tests are stored before this mark.
  await flushEventLog();
  await inSpan({ name: "a mark" }, async () => undefined);
  await spanNamed("a mark");
  kept.length = 0;
  // Each poll runs a few statements.
  await servicePool().query("select pg_notify('deliveries', '')");
  await servicePool().query("select 1");
  await workers.stop();
  await inSpan({ name: "the only one" }, async () => undefined);
  await spanNamed("the only one");
  expect(kept.map(({ name }) => name)).toEqual(["the only one"]);
});

function spanNamed(name: string, traceId?: string): Promise<ReadableSpan> {
  const isIt = (span: ReadableSpan) => span.name === name && (traceId === undefined || isOf(span, traceId));
  return spanThat(isIt, `a span ${name}`);
}

function spanOfStep(step: string): Promise<ReadableSpan> {
  const isIt = ({ name, attributes }: ReadableSpan) => name === "visit step" && attributes["gangway.step"] === step;
  return spanThat(isIt, `a step ${step}`);
}

async function spanThat(isIt: (span: ReadableSpan) => boolean, what: string): Promise<ReadableSpan> {
  await expect.poll(() => kept.find(isIt), { message: what }).toBeDefined();
  return kept.find(isIt) as ReadableSpan;
}

function isOf(span: Pick<Span, "spanContext">, traceId: string): boolean {
  return span.spanContext().traceId === traceId;
}

function webhooksOf(traceId: string): string[] {
  return fake.requests
    .map(({ headers }) => String(headers["traceparent"]))
    .filter((header) => header.includes(traceId));
}
