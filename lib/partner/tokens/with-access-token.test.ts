import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { TokenPair } from "../../contract/tokens.ts";
import { newId } from "../../kit/ids.ts";
import { readConnection } from "../connections/connected-users.ts";
import { partner } from "../process-partner.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { setClockAhead } from "../testing/clock.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { userRecordOf } from "../testing/records.ts";
import { renewOldTokens } from "./renew-tokens.ts";

let service: FakeService;
let serviceUserId: string;

beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  serviceUserId = newId();
  service.requests.length = 0;
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf() }));
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pairOf("second") }));
  service.answer("POST /v1/oauth/revoke", () => ({ status: 200, body: {} }));
  await storeTokenPair(partner().config.keyring, partner().db, serviceUserId, pairOf("first"));
});
afterEach(() => setClockAhead("0"));

function pairOf(name: string): TokenPair {
  const tokens = { access_token: `access-${name}`, refresh_token: `refresh-${name}` };
  return { ...tokens, token_type: "Bearer", expires_in: 7200 };
}

function accessTokensUsed(): string[] {
  return service.requestsOf("GET /v1/user").map(({ headers }) => headers.authorization ?? "");
}

test("uses the current access token for every call, and refreshes nothing while it is valid", async () => {
  await setClockAhead("1 hour 58 minutes 55 seconds");
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-first"]);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
});

test("refreshes first when the access token expires within a minute", async () => {
  await setClockAhead("1 hour 59 minutes 1 second");
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-second"]);
});

test("stores a refreshed pair with the expiry in its answer", async () => {
  await setClockAhead("1 hour 59 minutes 1 second");
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: { ...pairOf("second"), expires_in: 3600 } }));
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-second", "Bearer access-second"]);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(1);
  await setClockAhead("2 hours 58 minutes 5 seconds");
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pairOf("third") }));
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(accessTokensUsed().at(-1)).toBe("Bearer access-third");
  expect(service.requestsOf("POST /v1/oauth/token").at(-1)?.body["refresh_token"]).toBe("refresh-second");
});

test.each(["token_expired", "token_superseded", "a_reason_of_another_service"])(
  "refreshes and retries once when the service rejects the token: %s",
  async (reason) => {
    service.answer("GET /v1/user", ({ headers }) =>
      headers.authorization === "Bearer access-first" ? refused(401, reason) : { status: 200, body: userRecordOf() },
    );
    expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
    expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-second"]);
  },
);

test("doesn't resend a refused token, even while no new one can be obtained", async () => {
  service.answer("GET /v1/user", ({ headers }) =>
    headers.authorization === "Bearer access-first"
      ? refused(401, "token_expired")
      : { status: 200, body: userRecordOf() },
  );
  service.answer("POST /v1/oauth/token", () => refused(503, "unavailable"));
  for (let round = 0; round < 3; round++) {
    expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({
      kind: "refused",
      status: 503,
    });
  }
  expect(accessTokensUsed()).toEqual(["Bearer access-first"]);
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pairOf("second") }));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-second"]);
});

test("resends a token after a 401 that doesn't call it invalid, when no new one could be obtained", async () => {
  service.answer("GET /v1/user", () => refused(401, "invalid_client"));
  service.answer("POST /v1/oauth/token", () => refused(503, "unavailable"));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "refused" });
  service.answer("GET /v1/user", () => ({ status: 200, body: userRecordOf() }));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-first"]);
});

test("uses a pair that arrived while another token was refused, without a refresh", async () => {
  service.answer("GET /v1/user", async ({ headers }) => {
    if (headers.authorization !== "Bearer access-first") return { status: 200, body: userRecordOf() };
    // The person authorizes again during the call.
    await storeTokenPair(partner().config.keyring, partner().db, serviceUserId, pairOf("third"));
    return refused(401, "token_expired");
  });
  service.answer("POST /v1/oauth/token", () => refused(503, "unavailable"));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-third"]);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
});

test("doesn't refresh for a refusal unrelated to the token", async () => {
  service.answer("GET /v1/user", () => refused(403, "user_not_approved"));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({
    kind: "refused",
    reason: "user_not_approved",
  });
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
});

test("asks for a new authorization when the refresh token is refused, and deletes the pair", async () => {
  service.answer("GET /v1/user", () => refused(401, "token_expired"));
  service.answer("POST /v1/oauth/token", () => ({ status: 400, body: { error: "invalid_grant" } }));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toEqual({
    kind: "reauthorization_required",
  });
  expect(await readConnection(partner(), serviceUserId)).toEqual({ kind: "disconnected" });
});

test.each([401, 404])("a refresh refused with %i and invalid_grant ends the connection", async (status) => {
  service.answer("POST /v1/oauth/token", () => ({ status, body: { error: "invalid_grant" } }));
  await setClockAhead("3 hours");
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toEqual({
    kind: "reauthorization_required",
  });
  expect(await partner().tokenStore.read(serviceUserId)).toBeUndefined();
});

test.each([
  ["400 in plain text", { status: 400, text: "no such token" }],
  ["400 in a body of its own", { status: 400, body: { error: { code: "token_dead" } } }],
  ["400 unauthorized_client", { status: 400, body: { error: "unauthorized_client" } }],
  ["401", { status: 401, text: "no" }],
  ["a firewall's 403", { status: 403, text: "<html>Blocked</html>" }],
  ["403 client_disabled", refused(403, "client_disabled")],
  ["404", { status: 404, text: "no" }],
])("a refresh refused with %s asks for a new authorization, and keeps the pair", async (_what, answer) => {
  service.answer("POST /v1/oauth/token", () => answer);
  await setClockAhead("3 hours");
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toEqual({
    kind: "reauthorization_required",
  });
  expect((await partner().tokenStore.read(serviceUserId))?.refreshToken).toBe("refresh-first");
});

test.each([
  ["error token_expired", { error: "token_expired" }],
  ["reason invalid_token", { reason: "invalid_token" }],
])("treats a 403 with %s as an expired token: refreshes and retries once", async (_what, body) => {
  service.answer("GET /v1/user", ({ headers }) =>
    headers.authorization === "Bearer access-first" ? { status: 403, body } : { status: 200, body: userRecordOf() },
  );
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-second"]);
});

test("treats a 403 without a reason as an expired token if it has expired by our clock", async () => {
  service.answer("GET /v1/user", async ({ headers }) => {
    if (headers.authorization !== "Bearer access-first") return { status: 200, body: userRecordOf() };
    await setClockAhead("2 hours 1 second");
    return { status: 403 };
  });
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "ok" });
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-second"]);
});

test("repeats a refused call once, and no more", async () => {
  service.answer("GET /v1/user", () => refused(403, "token_expired"));
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({
    kind: "refused",
    status: 403,
  });
  expect(accessTokensUsed()).toHaveLength(2);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(1);
});

test.each([
  ["without a lifetime", { expires_in: undefined, token_type: undefined }],
  ["with its lifetime as text", { expires_in: "7200" }],
  ["with null", { expires_in: null, token_type: null }],
])("a pair %s lives the published two hours", async (_what, fields) => {
  await setClockAhead("1 hour 59 minutes 1 second");
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: { ...pairOf("second"), ...fields } }));
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  await setClockAhead("3 hours 57 minutes");
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-second", "Bearer access-second"]);
  await setClockAhead("3 hours 59 minutes");
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pairOf("third") }));
  await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(accessTokensUsed().at(-1)).toBe("Bearer access-third");
});

test("asks for a new authorization after ten days, without a call", async () => {
  await setClockAhead("10 days");
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toEqual({
    kind: "reauthorization_required",
  });
  expect(service.requests).toHaveLength(0);
});

test.each([
  ["is down for a while", () => refused(503, "unavailable")],
  ["is down for a while and says so with 400", () => ({ status: 400, body: { error: "temporarily_unavailable" } })],
  ["refuses our own credentials", () => ({ status: 401, body: { error: "invalid_client" } })],
  ["refuses our own credentials with 400", () => ({ status: 400, body: { error: "invalid_client" } })],
])("keeps the pair when the service %s", async (_trouble, answer) => {
  service.answer("POST /v1/oauth/token", answer);
  await setClockAhead("3 hours");
  expect(await partner().tokens.call(serviceUserId, partner().client.readUser)).toMatchObject({ kind: "refused" });
  expect((await partner().tokenStore.read(serviceUserId))?.refreshToken).toBe("refresh-first");
});

test("renews a pair after a week and skips younger ones", async () => {
  await setClockAhead("6 days 23 hours");
  await renewOldTokens(partner());
  expect((await partner().tokenStore.read(serviceUserId))?.refreshToken).toBe("refresh-first");
  await setClockAhead("7 days 1 hour");
  await renewOldTokens(partner());
  expect((await partner().tokenStore.read(serviceUserId))?.refreshToken).toBe("refresh-second");
  // Ten days from the renewal, not from the first pair.
  await setClockAhead("17 days");
  expect(await readConnection(partner(), serviceUserId)).toMatchObject({ kind: "connected" });
});

test.each([
  ["token expired", 1],
  ["That token has\nexpired.", 1],
  ["No such permission.", 0],
  ["<p>token expired</p>", 0],
])("a 403 that says %j in plain text refreshes %i times", async (text, refreshes) => {
  service.answer("GET /v1/user", ({ headers }) =>
    headers.authorization === "Bearer access-first" ? { status: 403, text } : { status: 200, body: userRecordOf() },
  );
  const answer = await partner().tokens.call(serviceUserId, partner().client.readUser);
  expect(answer.kind).toBe(refreshes === 1 ? "ok" : "refused");
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(refreshes);
});

test("disconnecting revokes the tokens at the service and deletes them here", async () => {
  expect(await partner().tokens.disconnect(serviceUserId)).toEqual({ kind: "disconnected" });
  expect(service.requestsOf("POST /v1/oauth/revoke")[0]?.body).toEqual({ token: "refresh-first" });
  expect(await partner().tokenStore.read(serviceUserId)).toBeUndefined();
});

test.each([404, 405, 501])(
  "disconnecting from a service that can't revoke (%i) deletes the tokens here and says so",
  async (status) => {
    service.answer("POST /v1/oauth/revoke", () => ({ status }));
    expect(await partner().tokens.disconnect(serviceUserId)).toEqual({ kind: "forgotten_here" });
    expect(await partner().tokenStore.read(serviceUserId)).toBeUndefined();
  },
);

// A 401 is about our own credential: the tokens are still valid, and forgotten tokens could never be revoked.
test.each([
  ["400", refused(400, "invalid_request")],
  ["401", refused(401, "invalid_client")],
  ["403", refused(403, "forbidden")],
  ["409", refused(409, "conflict")],
  ["429", refused(429, "rate_limited")],
  ["503", refused(503, "unavailable")],
  ["a redirect", { status: 302, headers: { location: "/" } }],
  ["silence", "cut" as const],
])("disconnecting deletes nothing on %s", async (_what, answer) => {
  service.answer("POST /v1/oauth/revoke", () => answer);
  expect(await partner().tokens.disconnect(serviceUserId)).toMatchObject({ kind: "failed" });
  expect((await partner().tokenStore.read(serviceUserId))?.refreshToken).toBe("refresh-first");
});

test("keeps both tokens encrypted, each for its own row", async () => {
  const { rows } = await partner().db.execute(sql`select t::text as line from token_pairs t`);
  expect(JSON.stringify(rows)).not.toMatch(/access-first|refresh-first/);
  const otherId = newId();
  await partner().db.execute(sql`insert into token_pairs select ${otherId}, access_token_encrypted, refresh_token_encrypted,
    access_token_expires_at, refresh_token_expires_at, issued_at from token_pairs where service_user_id = ${serviceUserId}`);
  await expect(partner().tokenStore.read(otherId)).rejects.toThrow("another context");
});
