import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { limits } from "../../../contract/limits.ts";
import {
  type CallEvent,
  type EventPage,
  eventPage,
  requestList,
  type SandboxEvent,
  type SandboxEventKind,
  sandboxEvent,
} from "../../../contract/sandbox-events.ts";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { type FakeServer, type ReceivedRequest, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { OutcomeUnknownError } from "../../../kit/transaction.ts";
import { peopleRoutes } from "../../http/api/people-routes.ts";
import { type AnsweredRequest, answerRequest } from "../../http/frame/answer-request.ts";
import type { Route } from "../../http/frame/define-route.ts";
import { authorizeVisit, cancelVisit } from "../../operations/visits/finish-visit.ts";
import { openVisit } from "../../operations/visits/open-visit.ts";
import { correctIdentity, uploadPhotoId } from "../../operations/visits/submit-identity.ts";
import { resendVerificationCode, verifyCode } from "../../operations/visits/verify-code.ts";
import { channels } from "../../storage/channels.ts";
import { servicePool } from "../../storage/database.ts";
import { advanceClock, createTestClient, type TestClient } from "../../testing/clients.ts";
import { createSandboxApi } from "../../testing/listening-service.ts";
import { insertTestIntent, insertTestUser, personDetails } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { issueTestTokens } from "../../testing/tokens.ts";
import { authorizationQuery, insertTestSessionToken, openTestVisit, readTestCodes } from "../../testing/visits.ts";
import { startWebhookSender } from "../../workers/start-workers.ts";
import { type EventDraft, flushEventLog, logEvent, writeEvents } from "../events/event-log.ts";
import { openEventStream, stopEventStreams } from "../events/event-stream.ts";
import { fingerprintsOf } from "../events/fingerprint.ts";
import { listEventsAfter } from "../events/list-events.ts";
import { sandboxClockRoutes } from "./clock-routes.ts";
import { hookFor } from "./request-hook.ts";

let fake: FakeServer;
let sender: { stop: () => Promise<void> };
beforeAll(async () => {
  fake = await startFakeServer();
  sender = startWebhookSender();
});
afterAll(async () => {
  await sender.stop();
  await fake.stop();
  await stopEventStreams();
});

const traceId = "f".repeat(32);

describe("a call of the API", () => {
  test("with an unknown outcome is recorded without an answer", async () => {
    const client = await createTestClient();
    await callWithUnknownOutcome(client, peopleRoutes, "createUserIntent");
    const [call, ...more] = await callsOf(client);
    expect(call).toMatchObject({ operation: "createUserIntent", status: null, reason: null, response: null });
    expect([call?.facts.is_faulted, call?.facts.cut, more]).toEqual([false, undefined, []]);
  });

  test("made after another's response never appears to start before it", async () => {
    const client = await createTestClient();
    for (let round = 0; round < 60; round++) await client.call("GET", `/v1/user_intent/${randomUUID()}`);
    const calls = await callsOf(client);
    expect(calls).toHaveLength(60);
    const early = calls.filter(({ started_at }, index) => started_at < (calls[index - 1]?.at ?? ""));
    expect(early.map(({ started_at }) => started_at)).toEqual([]);
  });

  test("has its request, response, and joins", async () => {
    const client = await createTestClient();
    const key = randomUUID();
    const body = personDetails({ phone: newPhone(), metadata: { order: "42" } });
    const trace = randomUUID().replaceAll("-", "");
    const headers = { "idempotency-key": key, traceparent: `00-${trace}-${"12".repeat(8)}-01`, "user-agent": "tests" };
    const created = await client.call("POST", "/v1/user_intent", { body, headers });
    const repeated = await client.call("POST", "/v1/user_intent", { body, headers });
    expect([created.status, repeated.status]).toEqual([201, 201]);
    const id = String(created.json["id"]);
    const [first, second] = await callsOf(client);
    expect(first).toMatchObject({
      operation: "createUserIntent",
      method: "POST",
      path_template: "/v1/user_intent",
      status: 201,
      trace_id: trace,
      request_id: created.headers.get("request-id"),
      request: { body: { first_name: "Grace", ssn: "[redacted]" }, headers: { "user-agent": "tests" } },
      response: { body: { id, status: "pending" } },
      facts: { authorization: "basic", metadata_keys: ["order"], resource_id: id, is_faulted: false },
    });
    expect(first?.joins).toEqual([`trace:${trace}`, `intent:${id}`]);
    expect(first?.facts.idempotency_key).toMatch(/^[0-9a-f]{16}$/);
    expect(second?.facts).toMatchObject({ idempotency_key: first?.facts.idempotency_key, body: first?.facts.body });
    expect(Date.parse(first?.started_at ?? "")).toBeLessThanOrEqual(Date.parse(first?.at ?? ""));
  });

  test("records its fault, latency, and retry-after", async () => {
    const client = await createTestClient();
    const fault = { operation: "readUserIntent", times: 1 };
    await client.call("PUT", "/sandbox/faults", { body: { ...fault, latency_ms: 5 } });
    await client.call("GET", `/v1/user_intent/${randomUUID()}`);
    await client.call("PUT", "/sandbox/faults", { body: { ...fault, status: 429 } });
    await client.call("GET", `/v1/user_intent/${randomUUID()}`);
    await client.call("GET", `/v1/user_intent/${randomUUID()}`);
    expect((await callsOf(client)).map(({ status, facts }) => [status, facts.is_faulted])).toEqual([
      [404, true],
      [429, true],
      [404, false],
    ]);
    expect((await callsOf(client))[1]?.facts.retry_after_seconds).toBeGreaterThan(0);
  });

  test("without a response records that, and what was done anyway", async () => {
    const client = await createClientWithSeller();
    const body = { name: "Payment", amount: 12.5, source_id: client.operatingId, destination_id: client.walletId };
    for (const cut of ["before", "after"]) {
      await client.call("PUT", "/sandbox/faults", { body: { operation: "createBookRoutine", cut, times: 1 } });
      const lost = client.call("POST", "/v1/routines/book", { bearer: client.businessToken, body });
      await expect(lost).rejects.toThrow("closed without an answer");
    }
    const { json } = await client.call("GET", "/v1/routines", { bearer: client.businessToken });
    const [routine] = json["routines"] as { id: string }[];
    const [before, after] = await callsOf(client);
    const nothing = { status: null, reason: null, response: null };
    expect(before).toMatchObject({ ...nothing, facts: { is_faulted: true, cut: "before", resource_id: null } });
    expect(before?.facts.retry_after_seconds).toBeNull();
    expect(after).toMatchObject({ ...nothing, facts: { is_faulted: true, cut: "after", resource_id: routine?.id } });
    expect(after?.joins).toContain(`routine:${routine?.id}`);
    const listed = await client.call("GET", "/sandbox/requests");
    expect(requestList.parse(listed.json).requests.map(({ status }) => status)).toEqual([200, null, null]);
  });

  test("detects a credential in its URL under any name", async () => {
    const client = await createTestClient();
    const id = randomUUID();
    await client.call("GET", `/v1/user_intent/${id}`);
    await client.call("GET", `/v1/user_intent/${id}?access_token=anything`);
    await client.call("GET", `/v1/user_intent/${id}?x=gwa_in-the-wrong-place-0001`);
    await client.call("GET", "/v1/user_intent/gwa_in-the-wrong-place-0002");
    expect((await callsOf(client)).map(({ facts }) => facts.has_credential_in_url)).toEqual([false, true, true, true]);
  });

  test("tells queries apart without showing them", async () => {
    const client = await createTestClient();
    const path = `/v1/user_intent/${randomUUID()}`;
    for (const query of ["?page=1", "?page=2", "?page=1", ""]) await client.call("GET", `${path}${query}`);
    const [one, two, again, none] = (await callsOf(client)).map((call) => ({
      path: call.path,
      query: call.facts.query,
    }));
    expect(one).toEqual({ path, query: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(two?.query).not.toBe(one?.query);
    expect(again).toEqual(one);
    expect(none?.query).toBeUndefined();
  });

  test("has the tokens of an exchange and a refresh, with their expiry and owner", async () => {
    const client = await createTestClient();
    const person = await insertTestUser(client);
    const { userId } = person;
    await advanceClock(client, 86_400);
    const outcome = await authorizeVisit(await openTestVisit(client, person));
    if (outcome.kind !== "authorized") throw new Error(outcome.kind);
    const code = new URL(outcome.returnTo).searchParams.get("code") ?? "";
    const { redirectUri: redirect_uri } = client;
    const grant = { grant_type: "authorization_code", code, redirect_uri };
    const pair = await client.call("POST", "/v1/oauth/token", { form: grant });
    const form = { grant_type: "refresh_token", refresh_token: String(pair.json["refresh_token"]) };
    const refreshed = await client.call("POST", "/v1/oauth/token", { form });
    expect(refreshed.status).toBe(200);
    await client.call("GET", "/v1/user", { bearer: String(refreshed.json["access_token"]) });
    await client.call("POST", "/v1/oauth/revoke", { form: { token: String(refreshed.json["refresh_token"]) } });
    const [exchange, refresh, read, revoke] = await callsOf(client);
    const [, authorized] = await visitsOf(client);
    expect(exchange?.facts).toMatchObject({ redirect_uri, code: authorized?.facts.code, code_challenge: null });
    expect(refresh?.facts.refresh_token).toBe(exchange?.facts.issued?.refresh_token);
    const { issued } = refresh?.facts ?? {};
    const clientTimeMs = Date.parse(refresh?.client_time ?? "");
    expect(clientTimeMs - Date.parse(refresh?.at ?? "")).toBe(86_400_000);
    expect(Date.parse(issued?.access_expires_at ?? "") - clientTimeMs).toBe(limits.accessTokenSeconds * 1000);
    expect(Date.parse(issued?.refresh_expires_at ?? "") - clientTimeMs).toBe(limits.refreshTokenSeconds * 1000);
    expect(issued?.user_id).toBe(userId);
    expect(read?.facts.access_token).toBe(issued?.access_token);
    expect(revoke?.facts.revoked_token).toBe(issued?.refresh_token);
    expect(read?.joins).toContain(`user:${userId}`);
    // The previous call revealed the token's owner.
    expect(revoke?.joins).toContain(`user:${userId}`);
  });

  test("a fingerprint is stable per client and differs between clients", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    for (const { call } of [client, client, otherClient]) {
      await call("POST", "/v1/oauth/token", { form: { grant_type: "refresh_token", refresh_token: "gwr_the-same" } });
    }
    const fingerprints = (await callsOf(client)).map(({ facts }) => facts.refresh_token);
    const [otherFingerprint] = (await callsOf(otherClient)).map(({ facts }) => facts.refresh_token);
    expect(fingerprints[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprints[1]).toBe(fingerprints[0]);
    expect(otherFingerprint).not.toBe(fingerprints[0]);
    expect(createHash("sha256").update("gwr_the-same").digest("hex")).not.toContain(fingerprints[0]);
  });

  test("a fingerprint is derived from the SHA-256, so it can be computed for a stored token", async () => {
    const client = await createTestClient();
    const form = { grant_type: "refresh_token", refresh_token: "gwr_the-same" };
    await client.call("POST", "/v1/oauth/token", { form });
    const [call] = await callsOf(client);
    const kept = createHash("sha256").update("gwr_the-same").digest();
    expect(call?.facts.refresh_token).toBe(fingerprintsOf(client.clientId).ofHash(kept));
  });

  test("with a superseded access token is recorded for its client only", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const { userId } = await insertTestUser(client);
    const read = async (bearer: string) => (await client.call("GET", "/v1/user", { bearer })).json["reason"];
    const superseded = await issueTestTokens(client, userId);
    const expired = await issueTestTokens(client, userId);
    const refusals = [await read(superseded.accessToken)];
    await advanceClock(client, limits.accessTokenSeconds);
    refusals.push(await read(expired.accessToken));
    const { accessToken: revoked, refreshToken } = await issueTestTokens(client, userId);
    expect(await read(revoked)).toBeUndefined();
    await client.call("POST", "/v1/oauth/revoke", { form: { token: refreshToken } });
    refusals.push(await read(revoked), await read("gwa_never-issued"));
    expect(refusals).toEqual(["token_superseded", "token_expired", "invalid_token", "invalid_token"]);
    const fingerprint = fingerprintsOf(client.clientId);
    const refused = (await callsOf(client)).filter(({ status }) => status === 401);
    expect(refused.map(({ reason, facts }) => [reason, facts.access_token])).toEqual([
      ["token_superseded", fingerprint(superseded.accessToken)],
      ["token_expired", fingerprint(expired.accessToken)],
      ["invalid_token", fingerprint(revoked)],
    ]);
    expect(await callsOf(otherClient)).toEqual([]);
  });
});

describe("a visit", () => {
  test("whose redirect had a foreign parameter is marked, and the next one isn't", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/faults", { body: { operation: "authorize", foreign: "state", times: 1 } });
    for (let visit = 0; visit < 2; visit++) {
      await authorizeVisit(await openTestVisit(client, await insertTestUser(client)));
    }
    const finished = (await visitsOf(client)).filter(({ step }) => step === "authorized");
    expect(finished.map(({ facts }) => facts.foreign)).toEqual(["state", undefined]);
  });

  test("every step is recorded: opened, code sent, code verified, authorized", async () => {
    const client = await createTestClient();
    const person = await insertTestUser(client);
    const key = await openTestVisit(client, person, { loggedInSecondsAgo: 31 * 86_400 });
    const [first = ""] = await readTestCodes(client, person.phone);
    await verifyCode(key, first === "000000" ? "111111" : "000000");
    await advanceClock(client, limits.verificationCodeResendSeconds);
    await resendVerificationCode(key);
    const [code = ""] = await readTestCodes(client, person.phone);
    await verifyCode(key, code);
    await authorizeVisit(key);
    const visits = await visitsOf(client);
    expect(visits.map(({ step }) => step)).toEqual([
      "opened",
      "code_sent",
      "code_refused",
      "code_sent",
      "code_verified",
      "authorized",
    ]);
    expect(visits[0]?.facts).toMatchObject({ redirect_uri: client.redirectUri, state_length: 14, error: null });
    expect(visits[2]?.facts.cause).toBe("wrong_code");
    for (const visit of visits) expect(visit.joins).toEqual(expect.arrayContaining([`visit:${key.visitId}`]));
    for (const visit of visits) expect(visit.joins).toEqual(expect.arrayContaining([`user:${person.userId}`]));
    expect(visits[5]?.facts.state).toBe(visits[0]?.facts.state);
    expect(visits[5]?.facts.code).toMatch(/^[0-9a-f]{16}$/);
  });

  test("cancelled, sent back, and refused visits are recorded with their cause", async () => {
    const client = await createTestClient();
    const person = await insertTestUser(client);
    await cancelVisit(await openTestVisit(client, person));
    const query = (more: Record<string, string | undefined>) => authorizationQuery(client, person, more);
    const session_token = await insertTestSessionToken(client, person);
    await openVisit(query({ session_token }), { traceId });
    for (const more of [
      { session_token, response_type: "token" },
      { session_token },
      { session_token, redirect_uri: "https://elsewhere.example/" },
    ]) {
      await openVisit(query(more), { traceId });
    }
    const visits = await visitsOf(client);
    expect(visits.map(({ step, facts }) => [step, facts.error ?? facts.cause])).toEqual([
      ["opened", null],
      ["cancelled", "access_denied"],
      ["opened", null],
      ["sent_back", "unsupported_response_type"],
      ["refused", "session_token_spent"],
      ["refused", "redirect_uri_unknown"],
    ]);
    // The token links to the visit it opened.
    expect(visits[4]?.joins).toContain(visits[2]?.joins.find((join) => join.startsWith("visit:")));
  });

  test.each([
    ["retry", "identity_submitted"],
    ["document", "photo_submitted"],
  ] as const)("a submission in status %s is recorded without its content", async (status, step) => {
    const client = await createTestClient();
    const key = await openTestVisit(client, await insertTestIntent(client, { status }));
    if (status === "retry") {
      await correctIdentity(key, { dateOfBirth: "1800-01-01", ssn: "1" });
      await correctIdentity(key, { dateOfBirth: "1971-07-17", ssn: "587654321" });
    } else {
      await uploadPhotoId(key, undefined);
      await uploadPhotoId(key, Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(64)]));
    }
    const visits = await visitsOf(client);
    expect(visits.map((visit) => visit.step)).toEqual(["opened", "submission_refused", step]);
    expect(JSON.stringify(visits)).not.toMatch(/1971-07|587654321/);
  });
});

test("events are stored soon, even if the clock is set back", async () => {
  const client = await createTestClient();
  const count = async () =>
    (await servicePool().query("select from sandbox_events where client_id = $1", [client.clientId])).rowCount;
  await client.call("GET", `/v1/user_intent/${randomUUID()}`);
  await expect.poll(count).toBe(1);
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
  try {
    await client.call("GET", `/v1/user_intent/${randomUUID()}`);
    await expect.poll(count).toBe(2);
  } finally {
    clock.mockRestore();
  }
});

describe("a call of the customer endpoint", () => {
  test("has its real duration, even if the clock is set back during it", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/client", { body: { customers_url: fake.url } });
    const clock = vi.spyOn(Date, "now");
    fake.answer((_request, response) => {
      clock.mockReturnValue(Date.now() - 3_600_000);
      response.writeHead(404).end();
    });
    const { userIntentId } = await insertTestIntent(client);
    const body = { provider: client.provider, provider_data: { customer_id: "c-1" }, user_intent_id: userIntentId };
    await client.call("POST", "/v1/partner/identity/verification", { body }).finally(() => clock.mockRestore());
    const [call] = await eventsOfKind(client, "customer");
    expect(call?.duration_ms).toBeGreaterThanOrEqual(0);
  });

  test("takes as long as its endpoint, not counting pauses of this process", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/client", { body: { customers_url: fake.url } });
    fake.answer(pauseAndAnswer);
    const { userIntentId } = await insertTestIntent(client);
    const body = { provider: client.provider, provider_data: { customer_id: "c-1" }, user_intent_id: userIntentId };
    await client.call("POST", "/v1/partner/identity/verification", { body });
    await client.call("POST", "/sandbox/customer_probes", { body: { customer_id: "c-1" } });
    const calls = await eventsOfKind(client, "customer");
    expect(calls).toHaveLength(4);
    for (const call of calls) expectOwnDuration(call.duration_ms);
  });

  test("has its status, duration, problems, and time format", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/client", { body: { customers_url: fake.url } });
    const { userIntentId, phone } = await insertTestIntent(client);
    const record = { customer_id: "c-1", first_name: "Grace", last_name: "O’Malley", phone };
    const answers = [
      { ...record, lastAuthenticationTime: new Date().toISOString() },
      { ...record, lastAuthenticationTime: "2026-01-31T09:30:00Z" },
      { ...record, last_name: undefined, lastAuthenticationTime: "2026-01-31T09:30:00.000+02:00" },
      { ...record, phone: "+12025550199", lastAuthenticationTime: new Date().toISOString() },
    ];
    const body = { provider: client.provider, provider_data: { customer_id: "c-1" }, user_intent_id: userIntentId };
    for (const answer of answers) {
      fake.answer((_request, response) => response.writeHead(200).end(JSON.stringify(answer)));
      await client.call("POST", "/v1/partner/identity/verification", { body });
    }
    fake.answer((_request, response) => response.writeHead(404).end());
    await client.call("POST", "/v1/partner/identity/verification", { body });
    const calls = await eventsOfKind(client, "customer");
    expect(calls.map(({ status, facts }) => [status, facts.problems, facts.has_milliseconds, facts.is_utc])).toEqual([
      [200, [], true, true],
      [200, [], false, true],
      [200, ["not_a_customer_record", "last_name", "lastAuthenticationTime"], true, false],
      [200, ["phone_differs"], true, true],
      [404, ["status_404"], null, null],
    ]);
    expect(calls[0]?.response).toMatchObject({ body: { first_name: "Grace" } });
    expect(calls[0]?.joins).toContain(`intent:${userIntentId}`);
    expect(calls[0]?.duration_ms).toBeGreaterThanOrEqual(0);
    // The minting call has the same trace and the token.
    const [minted] = await callsOf(client);
    expect(minted).toMatchObject({ trace_id: calls[0]?.trace_id, facts: { named_people: ["user_intent_id"] } });
    expect(minted?.facts.session_token).toMatch(/^[0-9a-f]{16}$/);
    expect(minted?.facts.customer_id).toBe(calls[0]?.facts.customer_id);
  });

  test("that failed has a reason", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/client", { body: { customers_url: "http://127.0.0.1:1" } });
    const { userIntentId } = await insertTestIntent(client);
    const body = { provider: client.provider, provider_data: { customer_id: "c-1" }, user_intent_id: userIntentId };
    await client.call("POST", "/v1/partner/identity/verification", { body });
    const [call] = await eventsOfKind(client, "customer");
    expect(call).toMatchObject({ status: null, facts: { problems: ["ECONNREFUSED"] } });
  });
});

/** Answers after 600 ms, and a pause of 1.5 s of this process. */
async function pauseAndAnswer(_request: ReceivedRequest, response: ServerResponse): Promise<void> {
  await delay(600);
  for (const until = performance.now() + 1500; performance.now() < until; );
  response.writeHead(204).end();
}

function expectOwnDuration(durationMs: number | null | undefined): void {
  expect(durationMs).toBeGreaterThan(100);
  expect(durationMs).toBeLessThan(1500);
}

describe("an attempt at a webhook", () => {
  test("has the receiver's status and first 1024 bytes, without secrets", async () => {
    const client = await clientWithReceiver();
    const answerText = `not mine: gwa_${"a".repeat(43)} ${"é".repeat(600)}`;
    fake.answer((_request, response) => response.writeHead(422).end(answerText));
    await decideNewUser(client);
    const [delivery] = await untilEvents(client, "delivery", 1);
    expect(delivery).toMatchObject({
      webhook_type: "user_updated",
      status: 422,
      facts: { attempt: 1, fault: null, signatures: 1, signed_with: "current", error: null },
    });
    expect(delivery?.facts.answer).toMatch(/^not mine: \[redacted\] é+$/);
    expect(Buffer.from(answerText).subarray(0, 1024).length).toBe(1024);
    expect(delivery?.facts.answer?.match(/é/g)?.length).toBe(Math.floor((1024 - 11 - 47) / 2));
    expect(delivery?.joins).toContain(`webhook:${delivery?.webhook_id}`);
    expect(delivery?.joins).toContain(`user:${delivery?.user_id}`);
  });

  test("takes as long as its receiver, not counting pauses of this process", async () => {
    const client = await clientWithReceiver();
    fake.answer(pauseAndAnswer);
    await decideNewUser(client);
    const [delivery] = await untilEvents(client, "delivery", 1);
    expectOwnDuration(delivery?.duration_ms);
  });

  test("without a response has a reason", async () => {
    const client = await createTestClient();
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9/webhooks" } });
    await decideNewUser(client);
    const [delivery] = await untilEvents(client, "delivery", 1);
    expect(delivery).toMatchObject({ status: null, response: null, facts: { error: "econnrefused", answer: null } });
  });

  test("is signed with both secrets while they are rotated", async () => {
    const client = await clientWithReceiver();
    await client.call("POST", "/sandbox/webhook_endpoint/rotate");
    await decideNewUser(client);
    const [delivery] = await untilEvents(client, "delivery", 1);
    expect(delivery?.facts).toMatchObject({ signatures: 2, signed_with: "both" });
  });

  test.each([
    ["drop", [["drop", null]]],
    [
      "duplicate",
      [
        [null, 204],
        ["duplicate", 204],
      ],
    ],
    ["tamper", [["tamper", 204]]],
    ["stale", [["stale", 204]]],
    [
      "unknown_type",
      [
        ["unknown_type", 204],
        [null, 204],
      ],
    ],
    ["reformatted", [["reformatted", 204]]],
    ["delay", [["delay", null]]],
    ["reorder", [["reorder", null]]],
    ["withhold", [["withhold", null]]],
  ] as const)("records the fault %s", async (kind, expected) => {
    const client = await clientWithReceiver();
    await client.call("PUT", "/sandbox/webhook_faults", { body: { kind, times: 1 } });
    await decideNewUser(client);
    const deliveries = await untilEvents(client, "delivery", expected.length);
    const byFault = (pairs: readonly (readonly [unknown, unknown])[]) =>
      pairs.map((pair) => JSON.stringify(pair)).sort();
    expect(byFault(deliveries.map(({ status, facts }) => [facts.fault, status] as const))).toEqual(byFault(expected));
    for (const { joins } of deliveries) expect(joins.some((join) => join.startsWith("user:"))).toBe(true);
  });

  test("that was held back is recorded again when sent", async () => {
    const client = await clientWithReceiver();
    await client.call("PUT", "/sandbox/webhook_faults", { body: { kind: "delay", times: 1 } });
    await decideNewUser(client);
    await untilEvents(client, "delivery", 1);
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 10 } });
    const [held, sent] = await untilEvents(client, "delivery", 2);
    expect(held?.facts).toMatchObject({ fault: "delay", error: "held_back", attempt: 1 });
    expect(sent).toMatchObject({ webhook_id: held?.webhook_id, status: 204, facts: { fault: null, attempt: 1 } });
  });
});

test("sandbox writes are recorded, reads aren't", async () => {
  const client = await createTestClient();
  await client.call("GET", "/sandbox/clock");
  await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 60 } });
  await client.call("PUT", "/sandbox/faults", { body: { operation: "nothing", times: 1 } });
  const controls = await eventsOfKind(client, "control");
  expect(controls).toMatchObject([
    {
      operation: "advanceSandboxClock",
      path: "/sandbox/clock/advance",
      status: 200,
      request: { body: { seconds: 60 } },
    },
    { method: "PUT", path: "/sandbox/faults", status: 400 },
  ]);
});

test("a sandbox write with an unknown outcome is recorded without an answer", async () => {
  const client = await createTestClient();
  await callWithUnknownOutcome(client, sandboxClockRoutes, "advanceSandboxClock");
  expect((await pageOf(client)).events).toMatchObject([
    { kind: "control", operation: "advanceSandboxClock", status: null, response: null },
  ]);
});

test("all steps of one person share an id", async () => {
  const client = await createClientWithSeller();
  await client.call("PUT", "/sandbox/client", { body: { customers_url: fake.url } });
  const phone = newPhone();
  const created = await client.call("POST", "/v1/user_intent", { body: personDetails({ phone }) });
  const user_intent_id = String(created.json["id"]);
  await client.call("POST", `/sandbox/user_intents/${user_intent_id}/status`, { body: { status: "approved" } });
  const customer = { customer_id: "c", first_name: "G", last_name: "O", phone };
  fake.answer((_request, response) =>
    response.end(JSON.stringify({ ...customer, lastAuthenticationTime: new Date().toISOString() })),
  );
  const minted = await client.call("POST", "/v1/partner/identity/verification", {
    body: { provider: client.provider, provider_data: { customer_id: "c" }, user_intent_id },
  });
  const person = { userIntentId: user_intent_id, userId: null, phone };
  const query = authorizationQuery(
    client,
    { userIntentId: user_intent_id },
    { session_token: String(minted.json["token"]) },
  );
  const arrival = await openVisit(query, { traceId });
  if (arrival.kind !== "opened") throw new Error(`${arrival.kind} for ${person.phone}`);
  const authorized = await authorizeVisit(arrival);
  if (authorized.kind !== "authorized") throw new Error(authorized.kind);
  const code = new URL(authorized.returnTo).searchParams.get("code") ?? "";
  const redirect_uri = client.redirectUri;
  const pair = await client.call("POST", "/v1/oauth/token", {
    form: { grant_type: "authorization_code", code, redirect_uri },
  });
  await flushEventLog();
  const refreshed = await client.call("POST", "/v1/oauth/token", {
    form: { grant_type: "refresh_token", refresh_token: String(pair.json["refresh_token"]) },
  });
  await client.call("GET", "/v1/accounts", { bearer: String(refreshed.json["access_token"]) });

  const ofVisit = await pageOf(client, `join=visit:${arrival.visitId}`);
  expect(ofVisit.events.map(nameOf)).toEqual([
    "opened",
    "authorized",
    "issueTokens 200",
    "issueTokens 200",
    "listAccounts 200",
  ]);
  const ofIntent = await pageOf(client, `join=intent:${user_intent_id}`);
  expect(ofIntent.events.map(nameOf)).toEqual([
    "createUserIntent 201",
    "decideUserIntent 200",
    "customer 200",
    "verifyPartnerIdentity 200",
    ...ofVisit.events.map(nameOf),
  ]);
  const exchange = ofVisit.events.find((event): event is CallEvent => event.kind === "call");
  const userId = ofVisit.events
    .at(-1)
    ?.joins.find((join) => join.startsWith("user:"))
    ?.slice("user:".length);
  expect(exchange?.facts.issued?.user_id).toBe(userId);
});

test("events before a clock jump keep the old time", async () => {
  const client = await createTestClient();
  await client.call("GET", `/v1/user_intent/${randomUUID()}`);
  // Writes are spaced out, so the second call is still pending when the clock jumps.
  await flushEventLog();
  await client.call("GET", `/v1/user_intent/${randomUUID()}`);
  await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 3600 } });
  await client.call("GET", `/v1/user_intent/${randomUUID()}`);
  const aheadMs = (await callsOf(client)).map(({ at, client_time }) => Date.parse(client_time) - Date.parse(at));
  expect(aheadMs).toEqual([0, 0, 3_600_000]);
});

describe("GET /sandbox/events", () => {
  test("200: pages both ways, and shows whether there are more", async () => {
    const client = await createTestClient();
    await writeEvents(draftsOf(client, 10));
    const newest = await pageOf(client, "limit=4");
    expect(paths(newest)).toEqual(["/6", "/7", "/8", "/9"]);
    expect(newest).toMatchObject({ earlier_exist: true, later_exist: false });
    const before = await pageOf(client, `limit=4&before=${newest.events[0]?.id}`);
    expect(paths(before)).toEqual(["/2", "/3", "/4", "/5"]);
    expect(before).toMatchObject({ earlier_exist: true, later_exist: true });
    const first = await pageOf(client, "limit=2&after=0");
    expect(paths(first)).toEqual(["/0", "/1"]);
    expect(first).toMatchObject({ earlier_exist: false, later_exist: true });
    const next = await pageOf(client, `limit=100&after=${first.events[1]?.id}`);
    expect(paths(next)).toEqual(["/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"]);
    expect(next).toMatchObject({ earlier_exist: true, later_exist: false });
    const between = await pageOf(client, `after=${first.events[1]?.id}&before=${newest.events[0]?.id}`);
    expect(paths(between)).toEqual(["/2", "/3", "/4", "/5"]);
    expect(between).toMatchObject({ earlier_exist: true, later_exist: true });
    const none = await pageOf(client, `after=${newest.events[3]?.id}`);
    expect(none).toEqual({ events: [], earlier_exist: true, later_exist: false });
    const last = newest.events[3];
    const noneBefore = await pageOf(client, `join=${last?.joins[0]}&before=${last?.id}`);
    expect(noneBefore).toEqual({ events: [], earlier_exist: false, later_exist: true });
  });

  test("200: filters by kind and join", async () => {
    const client = await createTestClient();
    await writeEvents(draftsOf(client, 4));
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
    await client.call("GET", `/v1/user_intent/${randomUUID()}`);
    expect((await pageOf(client, "kind=call")).events.map(nameOf)).toEqual(["readUserIntent 404"]);
    const joined = await pageOf(client, `join=trace:${"2".padStart(32, "0")}`);
    expect(paths(joined)).toEqual(["/2"]);
    // Only matching events count as earlier or later ones.
    for (const page of [joined, await pageOf(client, "kind=control"), await pageOf(client, "kind=call&after=0")]) {
      expect(page).toMatchObject({ earlier_exist: false, later_exist: false });
    }
    expect(paths(await pageOf(client, `kind=visit&join=trace:${"2".padStart(32, "0")}`))).toEqual([]);
  });

  test("200: finds a token's owner recorded by another process", async () => {
    const [client, other] = [await createTestClient(), await createTestClient()];
    const [draft] = draftsOf(client, 1);
    if (!draft) throw new Error("One was asked for.");
    await writeEvents([draft]);
    for (const [{ clientId }, owner] of [
      [client, "its-earlier-owner"],
      [client, "someone-else"],
      [other, "a-stranger"],
    ] as const) {
      await servicePool().query(
        `insert into sandbox_events (client_id, kind, event, joins)
         select $2, kind, event, array['token:elsewhere', $3] from sandbox_events where client_id = $1 limit 1`,
        [client.clientId, clientId, `user:${owner}`],
      );
    }
    await writeEvents([{ ...draft, draft: { ...draft.draft, joins: ["token:elsewhere"] } }]);
    expect((await pageOf(client, "limit=1")).events[0]?.joins).toEqual(["token:elsewhere", "user:someone-else"]);
  });

  test("200: only the newest are kept, per client", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await writeEvents(draftsOf(otherClient, 3), { eventsMax: 5, bytesMax: 1_000_000 });
    await writeEvents(draftsOf(client, 4), { eventsMax: 5, bytesMax: 1_000_000 });
    await writeEvents(draftsOf(client, 4), { eventsMax: 5, bytesMax: 1_000_000 });
    expect(paths(await pageOf(client))).toEqual(["/3", "/0", "/1", "/2", "/3"]);
    expect((await pageOf(otherClient)).events).toHaveLength(3);
  });

  test("200: keeps at most a twentieth over the limit, never less", async () => {
    const client = await createTestClient();
    for (let set = 0; set < 50; set++) await writeEvents(draftsOf(client, 2), { eventsMax: 60, bytesMax: 1_000_000 });
    const { events } = await pageOf(client);
    expect(events.length).toBeGreaterThanOrEqual(60);
    expect(events.length).toBeLessThanOrEqual(63 + 2);
  });

  test("200: the newest are kept up to a size limit, per client", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await writeEvents(draftsOf(otherClient, 3), { eventsMax: 100, bytesMax: 5000 });
    for (let set = 0; set < 4; set++) await writeEvents(draftsOf(client, 4), { eventsMax: 100, bytesMax: 5000 });
    // About 900 bytes each.
    expect(paths(await pageOf(client))).toEqual(["/3", "/0", "/1", "/2", "/3"]);
    expect((await pageOf(otherClient)).events).toHaveLength(3);
  });

  test("200: under load, only the newest large calls are kept in the write queue", async () => {
    const client = await createTestClient();
    const hook = peopleRoutes
      .filter(({ operation }) => operation === "createUserIntent")
      .map(hookFor)[0]?.();
    const bytes = 60 * 1024;
    const calls = 100;
    for (let index = 0; index < calls; index++) hook?.answered(answeredCall(client, { path: `/${index}`, bytes }));
    const { events } = await pageOf(client, "limit=1000");
    const most = Math.floor(limits.eventBytesPerWriteMax / bytes);
    expect(events.map(pathOf)).toEqual(Array.from({ length: most }, (_, index) => `/${calls - most + index}`));
  });

  test("200: buffers at most 64 MiB and 500 pairs of client and kind between writes", async () => {
    const client = await createTestClient();
    const [draft] = draftsOf(client, 1);
    if (!draft) throw new Error("There is one draft.");
    const hold = (clientId: string, bytes = 0) =>
      logEvent({ clientId, kind: "control", bytes, toDraft: () => draft.draft });
    await flushEventLog();
    for (let others = 0; others < 500; others++) hold(`another-${others}`);
    hold(client.clientId);
    expect((await pageOf(client)).events).toEqual([]);
    hold(client.clientId);
    expect((await pageOf(client)).events.map(pathOf)).toEqual(["/0"]);
    const each = limits.eventBytesPerWriteMax;
    for (let bytes = 0; bytes < 64 * 1024 * 1024; bytes += each) hold(`another-${bytes}`, each);
    hold(client.clientId, each);
    expect((await pageOf(client)).events).toHaveLength(1);
    hold(client.clientId, each);
    expect((await pageOf(client)).events).toHaveLength(2);
  });

  test("200: an event without its bodies, when they are too large to keep", async () => {
    const client = await createTestClient();
    const bodies = { request: { body: "é".repeat(limits.eventBodiesBytesMax / 2) }, response: null };
    await writeEvents(draftsOf(client, 1).map(({ clientId, draft }) => ({ clientId, draft: { ...draft, ...bodies } })));
    const [event] = (await pageOf(client)).events;
    expect(event).toMatchObject({ path: "/0", request: "[too large to keep]", response: "[too large to keep]" });
  });

  test("200: oversized metadata gets a limited number of fingerprints", async () => {
    const client = await createTestClient();
    const metadata = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`k${index}`, "v"]));
    await client.call("POST", "/v1/user_intent", { body: personDetails({ phone: newPhone(), metadata }) });
    const [call] = await callsOf(client);
    expect(call?.facts.metadata_fingerprints).toHaveLength(limits.metadataPairsMax);
    expect(call?.facts.metadata_keys).toHaveLength(limits.metadataPairsMax);
  });

  test("200: a page stops at the size limit and shows that there are more", async () => {
    const client = await createTestClient();
    const body = "x".repeat(30_000);
    const large = draftsOf(client, 200).map(({ clientId, draft }) => ({
      clientId,
      draft: { ...draft, response: body },
    }));
    await writeEvents(large);
    const newest = await pageOf(client, "limit=1000");
    expect(newest).toMatchObject({ earlier_exist: true, later_exist: false });
    expect(pathOf(newest.events.at(-1) as SandboxEvent)).toBe("/199");
    expect(JSON.stringify(newest).length).toBeLessThan(limits.eventsPageBytesMax + 40_000);
    const first = await pageOf(client, "limit=1000&after=0");
    expect(first).toMatchObject({ earlier_exist: false, later_exist: true });
    const rest = await pageOf(client, `limit=1000&after=${first.events.at(-1)?.id}`);
    expect([...paths(first), ...paths(rest)]).toEqual(large.map((_, index) => `/${index}`));
  });

  test("200: NUL and lone surrogates are replaced everywhere", async () => {
    const client = await createTestClient();
    const person = await insertTestUser(client);
    const query = authorizationQuery(client, person, { redirect_uri: "https://a.example/\0", state: "\0".repeat(3) });
    expect(await openVisit(query, { traceId })).toMatchObject({ kind: "refused" });
    const text = "\ud800 \\u0000 \0 \u{1f600}";
    const [draft] = draftsOf(client, 1);
    if (!draft) throw new Error("One was asked for.");
    const request = { body: { [text]: text } };
    await writeEvents([{ ...draft, draft: { ...draft.draft, joins: [`trace:${text}`], request } as EventDraft }]);
    const [control, visit] = (await pageOf(client)).events;
    expect(visit).toMatchObject({ step: "refused", facts: { redirect_uri: "https://a.example/\ufffd" } });
    const clean = "\ufffd \\u0000 \ufffd \u{1f600}";
    expect(control).toMatchObject({ joins: [`trace:${clean}`], request: { body: { [clean]: clean } } });
  });

  test("200: an event that can't be written doesn't affect others", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const drafts = [...draftsOf(client, 4), ...draftsOf(otherClient, 3)];
    // The name is too long for the index, and the date is invalid.
    const names = Array.from({ length: 2000 }, () => randomUUID()).join();
    const bad = drafts.map(({ clientId, draft }, index) => {
      if (index === 1) return { clientId, draft: { ...draft, joins: [names] } };
      return { clientId, draft: index === 5 ? { ...draft, at: new Date(Number.NaN) } : draft };
    });
    await writeEvents(bad);
    expect([paths(await pageOf(client)), paths(await pageOf(otherClient))]).toEqual([
      ["/0", "/2", "/3"],
      ["/0", "/2"],
    ]);
    logEvent({
      clientId: client.clientId,
      kind: "control",
      bytes: 0,
      toDraft: () => {
        throw new Error("It cannot be described.");
      },
    });
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
    expect((await pageOf(client)).events.map(nameOf).at(-1)).toBe("advanceSandboxClock 200");
  });

  test("200: nothing from another client", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await writeEvents(draftsOf(otherClient, 3));
    const [otherEvent] = (await pageOf(otherClient)).events;
    expect((await pageOf(client)).events).toEqual([]);
    expect((await pageOf(client, `join=${otherEvent?.joins[0]}`)).events).toEqual([]);
    expect(await pageOf(client, "after=0")).toEqual({ events: [], earlier_exist: false, later_exist: false });
  });

  test("200: ten thousand events page quickly", async () => {
    const client = await createTestClient();
    for (let part = 0; part < 10; part++) await writeEvents(draftsOf(client, 1000));
    let read = 0;
    let slowestMs = 0;
    for (let after = "0"; ; ) {
      const beganAtMs = performance.now();
      const page = await pageOf(client, `after=${after}&limit=1000`);
      slowestMs = Math.max(slowestMs, performance.now() - beganAtMs);
      read += page.events.length;
      after = page.events.at(-1)?.id ?? "";
      if (!page.later_exist) break;
    }
    expect(read).toBe(10_000);
    // Takes about 30 ms; five seconds would be too slow on any machine.
    expect(slowestMs).toBeLessThan(5000);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "kind=nothing", "after=x", "join=%27", "since=1"])(
    "400: %s",
    async (query) => {
      const answer = await (await createTestClient()).call("GET", `/sandbox/events?${query}`);
      expect([answer.status, answer.json["reason"]]).toEqual([400, "validation_failed"]);
    },
  );

  test("401: without the client's secret", async () => {
    for (const path of ["/sandbox/events", "/sandbox/events/stream"]) {
      expect((await (await createTestClient()).call("GET", path, { authorization: null })).status).toBe(401);
    }
  });
});

describe("GET /sandbox/events/stream", () => {
  test("200: kept events oldest first, then live ones; Last-Event-ID or after= resumes", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    await writeEvents([...draftsOf(client, 2), ...draftsOf(otherClient, 1)]);
    const stream = await openStream(client);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    expect((await stream.read(2)).map(pathOf)).toEqual(["/0", "/1"]);
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
    const [live] = await stream.read(1);
    expect(live).toMatchObject({ kind: "control" });
    await stream.close();
    const [first] = (await pageOf(client)).events;
    for (const again of [
      await openStream(client, { headers: { "last-event-id": first?.id ?? "" } }),
      await openStream(client, { query: `?after=${first?.id}` }),
    ]) {
      expect((await again.read(2)).map(nameOf)).toEqual(["readSomething 200", "advanceSandboxClock 200"]);
      await again.close();
    }
  });

  test("429: over the client's stream limit, until one of them is closed", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const open = await Promise.all(Array.from({ length: limits.eventStreamsMax }, () => openStream(client)));
    expect(open.map(({ response }) => response.status)).toEqual(open.map(() => 200));
    for (const path of ["/sandbox/events/stream", "/sandbox/requests/stream"]) {
      const refused = await client.call("GET", path);
      expect([refused.status, refused.json["reason"]]).toEqual([429, "rate_limited"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const others = await openStream(otherClient);
    expect(others.response.status).toBe(200);
    await open[0]?.close();
    const resumed = await openStream(client);
    expect(resumed.response.status).toBe(200);
    for (const stream of [...open, others, resumed]) await stream.close();
  });

  test("HEAD counts as no open stream", async () => {
    const client = await createTestClient();
    for (let call = 0; call <= limits.eventStreamsMax; call++) {
      expect((await client.call("HEAD", "/sandbox/events/stream")).status).toBe(200);
    }
  });

  test("200: no further page is read for a stalled reader", async () => {
    const client = await createTestClient();
    await writeEvents(draftsOf(client, 300));
    let pages = 0;
    const stream = openEventStream({
      clientId: client.clientId,
      name: "event",
      readAfter: (sequence) => {
        pages++;
        return listEventsAfter(client.clientId, sequence);
      },
      afterSequence: 0,
      present: (event) => event,
    });
    const reader = stream?.getReader();
    // The retry line, then pages of 100.
    const texts = [await reader?.read(), await reader?.read()].map((read) => new TextDecoder().decode(read?.value));
    expect(texts[1]?.match(/^id: /gm)).toHaveLength(100);
    for (let call = 0; call < 20; call++) await client.call("GET", "/sandbox/clock");
    expect(pages).toBeLessThanOrEqual(2);
    await reader?.cancel();
  });

  test("200: an event wakes the streams of its client and no others", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const [stream, otherStream] = [follow(client), follow(otherClient)];
    await writeEvents([...draftsOf(client, 1), ...draftsOf(otherClient, 1)]);
    await expect.poll(() => [stream.received(), otherStream.received()]).toEqual([1, 1]);
    const before = otherStream.reads();
    for (let set = 2; set <= 6; set++) {
      await writeEvents(draftsOf(client, 1));
      await expect.poll(stream.received).toBe(set);
    }
    expect(otherStream.reads()).toBe(before);
    await Promise.all([stream.close(), otherStream.close()]);
  });

  test("200: an event written while a page is read is sent immediately after it", async () => {
    const client = await createTestClient();
    const witness = follow(client);
    let reads = 0;
    const stream = openEventStream({
      clientId: client.clientId,
      name: "event",
      readAfter: async (sequence) => {
        const events = await listEventsAfter(client.clientId, sequence);
        if (++reads > 1) return events;
        await writeEvents(draftsOf(client, 1));
        await expect.poll(witness.received).toBe(1);
        return events;
      },
      afterSequence: 0,
      present: (event) => event,
    });
    const reader = stream?.getReader();
    const readText = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect([await readText(), await readText()]).toEqual([
      expect.stringMatching(/^retry: /),
      expect.stringMatching(/^id: /),
    ]);
    await Promise.all([reader?.cancel(), witness.close()]);
  });

  test("200: an event written while the stream's database connection is lost is sent after the reconnect", async () => {
    const client = await createTestClient();
    const stream = follow(client);
    await writeEvents(draftsOf(client, 1));
    await expect.poll(stream.received).toBe(1);
    // Every listening connection: it has just begun, or its last query was a heartbeat.
    const { rowCount } = await servicePool().query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and (query = 'select' or query ilike 'listen %')`,
    );
    await writeEvents(draftsOf(client, 1));
    expect(rowCount).toBeGreaterThan(0);
    // Sooner than the next keepalive.
    await expect.poll(stream.received, { timeout: 10_000 }).toBe(2);
    await stream.close();
  });

  test("200: streams that failed don't count toward the client's limit", async () => {
    const client = await createTestClient();
    for (let failed = 0; failed < limits.eventStreamsMax; failed++) {
      const stream = openEventStream({
        clientId: client.clientId,
        name: "event",
        readAfter: async () => Promise.reject(new Error("cut")),
        afterSequence: 0,
        present: (event) => event,
      });
      const reader = stream?.getReader();
      await reader?.read();
      await expect(reader?.read()).rejects.toThrow("cut");
    }
    const stream = await openStream(client);
    expect(stream.response.status).toBe(200);
    await stream.close();
  });

  test("200: a stream opened as the client's last one closes gets new events", async () => {
    const client = await createTestClient();
    const first = follow(client);
    await writeEvents(draftsOf(client, 1));
    await expect.poll(first.received).toBe(1);
    const isClosed = first.close();
    const second = follow(client);
    await isClosed;
    await expect.poll(second.received).toBe(1);
    await writeEvents(draftsOf(client, 1));
    await expect.poll(second.received, { timeout: 10_000 }).toBe(2);
    await second.close();
  });

  test("200: events from while the listening connection was lost are sent once it's back", async () => {
    const client = await createTestClient();
    const stream = follow(client);
    await writeEvents(draftsOf(client, 1));
    await expect.poll(stream.received).toBe(1);
    // A listening connection's last statement is its listen or a heartbeat.
    const { rowCount } = await servicePool().query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and (query = 'select' or query = 'listen "${channels.sandboxEvents}"')`,
    );
    expect(rowCount).toBeGreaterThan(0);
    await writeEvents(draftsOf(client, 1));
    // Before the next heartbeat, which reads too.
    await expect.poll(stream.received, { timeout: 10_000 }).toBe(2);
    await stream.close();
  });

  test("200: a stream that is ahead of a restored record gets new events", async () => {
    const client = await createTestClient();
    await writeEvents(draftsOf(client, 1));
    const [newest] = (await pageOf(client)).events;
    const stream = follow(client, { afterSequence: Number(newest?.id) + 1_000_000 });
    await expect
      .poll(async () => {
        await writeEvents(draftsOf(client, 1));
        return stream.received();
      })
      .toBeGreaterThan(0);
    await stream.close();
  });

  test("a stream whose events can't be read fails, and frees its slot", async () => {
    const { clientId } = await createTestClient();
    for (let count = 0; count <= limits.eventStreamsMax; count++) {
      const reader = openEventStream({
        clientId,
        name: "event",
        readAfter: () => Promise.reject(new Error("the database is away")),
        afterSequence: 0,
        present: (event) => event,
      })?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      await expect(reader?.read()).rejects.toThrow("the database is away");
    }
  });
});

/** Reads a client's stream to its end. `received` counts events, `reads` pages. */
function follow({ clientId }: TestClient, { afterSequence = 0 } = {}) {
  let [texts, reads] = ["", 0];
  const stream = openEventStream({
    clientId,
    name: "event",
    readAfter: (sequence) => {
      reads++;
      return listEventsAfter(clientId, sequence);
    },
    afterSequence,
    present: (event) => event,
  });
  const reader = stream?.getReader();
  void (async () => {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      texts += new TextDecoder().decode(next.value);
    }
  })();
  return { received: () => texts.match(/^id: /gm)?.length ?? 0, reads: () => reads, close: () => reader?.cancel() };
}

async function clientWithReceiver(): Promise<TestClient> {
  const client = await createTestClient();
  fake.answer((_request, response) => response.writeHead(204).end());
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: `${fake.url}/webhooks` } });
  return client;
}

async function decideNewUser(client: TestClient): Promise<void> {
  const { userId } = await insertTestUser(client);
  const decided = await client.call("POST", `/sandbox/users/${userId}/status`, { body: { status: "suspended" } });
  expect(decided.status).toBe(200);
}

async function pageOf(client: TestClient, query = ""): Promise<EventPage> {
  const { status, json } = await client.call("GET", `/sandbox/events?${query}`);
  expect(status).toBe(200);
  return eventPage.parse(json);
}

type EventOf<Kind extends SandboxEventKind> = Extract<SandboxEvent, { kind: Kind }>;

async function eventsOfKind<Kind extends SandboxEventKind>(client: TestClient, kind: Kind): Promise<EventOf<Kind>[]> {
  const { events } = await pageOf(client, `kind=${kind}`);
  return events.filter((event): event is EventOf<Kind> => event.kind === kind);
}

const callsOf = (client: TestClient) => eventsOfKind(client, "call");
const visitsOf = (client: TestClient) => eventsOfKind(client, "visit");

async function untilEvents<Kind extends SandboxEventKind>(client: TestClient, kind: Kind, count: number) {
  await expect.poll(async () => (await eventsOfKind(client, kind)).length).toBe(count);
  return eventsOfKind(client, kind);
}

async function callWithUnknownOutcome({ clientId }: TestClient, routes: Route[], operation: string): Promise<void> {
  const route = routes.find((one) => one.operation === operation);
  const hook = route && hookFor(route)?.();
  const request = new Request(`http://127.0.0.1${route?.path}`, { method: "POST" });
  const answered = answerRequest(request, { operation, hook }, async (trail) => {
    trail.clientId = clientId;
    throw new OutcomeUnknownError(new Error("The connection broke at COMMIT."));
  });
  await expect(answered).rejects.toThrow(OutcomeUnknownError);
}

function nameOf(event: SandboxEvent): string {
  switch (event.kind) {
    case "call":
    case "control":
      return `${event.operation} ${event.status}`;
    case "visit":
      return event.step;
    case "customer":
      return `customer ${event.status}`;
    case "delivery":
      return `${event.webhook_type} ${event.status}`;
  }
}

function pathOf(event: SandboxEvent): string {
  return "path" in event ? event.path : event.kind;
}

function paths({ events }: EventPage): string[] {
  return events.map(pathOf);
}

function draftsOf({ clientId }: TestClient, count: number): { clientId: string; draft: EventDraft }[] {
  return Array.from({ length: count }, (_, index) => {
    const trace = String(index).padStart(32, "0");
    const draft: EventDraft = {
      kind: "control",
      at: new Date(),
      duration_ms: 1,
      trace_id: trace,
      joins: [`trace:${trace}`, `user:${randomUUID()}`],
      operation: "readSomething",
      method: "GET",
      path: `/${index}`,
      status: 200,
      request: null,
      response: { body: { padding: "x".repeat(500) } },
    };
    return { clientId, draft };
  });
}

function answeredCall({ clientId }: TestClient, { path, bytes }: { path: string; bytes: number }): AnsweredRequest {
  return {
    requestId: randomUUID(),
    traceId: traceId as TraceId,
    clientId,
    operation: "createUserIntent",
    method: "POST",
    url: `http://127.0.0.1:4000${path}`,
    requestHeaders: new Headers({ "content-length": String(bytes) }),
    responseHeaders: {},
    isUnanswered: false,
    status: 422,
    reason: undefined,
    startedAt: new Date(),
    durationMs: 1,
    userId: undefined,
    requestBody: { metadata: { padding: "x".repeat(bytes) } },
    responseBody: {},
    responseCharacters: 2,
  };
}

async function openStream(
  { clientId, clientSecret }: TestClient,
  { headers = {}, query = "" }: { headers?: Record<string, string>; query?: string } = {},
) {
  const authorization = basicCredentials(clientId, clientSecret);
  const request = new Request(`http://127.0.0.1:4000/sandbox/events/stream${query}`, {
    headers: { authorization, ...headers },
  });
  const response = await createSandboxApi().fetch(request);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    response,
    close: async () => reader?.cancel(),
    // Reads this many more events, in any chunks.
    read: async (count: number) => {
      const events = () => [...text.matchAll(/^id: (\d+)\nevent: event\ndata: (.*)\n\n/gm)];
      while (events().length < count) {
        const next = await reader?.read();
        if (!next || next.done) throw new Error("The stream ended too early.");
        text += next.value;
      }
      const read = events();
      text = "";
      return read.map(([, id, data = ""]) => {
        const event = sandboxEvent.parse(JSON.parse(data));
        expect(event.id).toBe(id);
        return event;
      });
    },
  };
}
