import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { TokenPair } from "../../contract/tokens.ts";
import { newId } from "../../kit/ids.ts";
import { readUser } from "../service-client/users.ts";
import { database } from "../storage/database.ts";
import { setClockAhead } from "../testing/clock.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { userRecordOf } from "../testing/records.ts";
import { disconnect, readConnection } from "./connection.ts";
import { renewOldTokens } from "./renew-tokens.ts";
import { readTokenPair, storeTokenPair } from "./token-pairs.ts";
import { withAccessToken } from "./with-access-token.ts";

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
  await storeTokenPair(database(), serviceUserId, pairOf("first"));
});
afterEach(() => setClockAhead("0"));

function pairOf(name: string): TokenPair {
  const tokens = { access_token: `access-${name}`, refresh_token: `refresh-${name}` };
  return { ...tokens, token_type: "Bearer", expires_in: 7200 };
}

function accessTokensUsed(): string[] {
  return service.requestsOf("GET /v1/user").map(({ headers }) => headers.authorization ?? "");
}

test("uses the current access token for every call and refreshes nothing while it is good", async () => {
  await setClockAhead("1 hour 58 minutes 55 seconds");
  await withAccessToken(serviceUserId, readUser);
  await withAccessToken(serviceUserId, readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-first"]);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
});

test("refreshes first when the access token ends within a minute", async () => {
  await setClockAhead("1 hour 59 minutes 1 second");
  await withAccessToken(serviceUserId, readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-second"]);
});

test("keeps the pair of a refresh, with the expiry that its answer says", async () => {
  await setClockAhead("1 hour 59 minutes 1 second");
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: { ...pairOf("second"), expires_in: 3600 } }));
  await withAccessToken(serviceUserId, readUser);
  await withAccessToken(serviceUserId, readUser);
  expect(accessTokensUsed()).toEqual(["Bearer access-second", "Bearer access-second"]);
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(1);
  await setClockAhead("2 hours 58 minutes 5 seconds");
  service.answer("POST /v1/oauth/token", () => ({ status: 200, body: pairOf("third") }));
  await withAccessToken(serviceUserId, readUser);
  expect(accessTokensUsed().at(-1)).toBe("Bearer access-third");
  expect(service.requestsOf("POST /v1/oauth/token").at(-1)?.body["refresh_token"]).toBe("refresh-second");
});

test.each(["token_expired", "token_superseded", "a_reason_of_another_service"])(
  "refreshes and asks once more when the service turns the token away: %s",
  async (reason) => {
    service.answer("GET /v1/user", ({ headers }) =>
      headers.authorization === "Bearer access-first" ? refused(401, reason) : { status: 200, body: userRecordOf() },
    );
    expect(await withAccessToken(serviceUserId, readUser)).toMatchObject({ kind: "ok" });
    expect(accessTokensUsed()).toEqual(["Bearer access-first", "Bearer access-second"]);
  },
);

test("does not refresh for a refusal that has nothing to do with the token", async () => {
  service.answer("GET /v1/user", () => refused(403, "user_not_approved"));
  expect(await withAccessToken(serviceUserId, readUser)).toMatchObject({
    kind: "refused",
    reason: "user_not_approved",
  });
  expect(service.requestsOf("POST /v1/oauth/token")).toHaveLength(0);
});

test("asks for a new authorization when the refresh token is refused, and forgets the pair", async () => {
  service.answer("GET /v1/user", () => refused(401, "token_expired"));
  service.answer("POST /v1/oauth/token", () => ({ status: 400, body: { error: "invalid_grant" } }));
  expect(await withAccessToken(serviceUserId, readUser)).toEqual({ kind: "reauthorization_required" });
  expect(await readConnection(serviceUserId)).toEqual({ kind: "disconnected" });
});

test("asks for a new authorization after ten days, without troubling the service", async () => {
  await setClockAhead("10 days");
  expect(await withAccessToken(serviceUserId, readUser)).toEqual({ kind: "reauthorization_required" });
  expect(service.requests).toHaveLength(0);
});

test.each([
  ["is down for a while", () => refused(503, "unavailable")],
  ["refuses our own credentials", () => ({ status: 401, body: { error: "invalid_client" } })],
])("keeps the pair when the service %s", async (_trouble, answer) => {
  service.answer("POST /v1/oauth/token", answer);
  await setClockAhead("3 hours");
  expect(await withAccessToken(serviceUserId, readUser)).toMatchObject({ kind: "refused" });
  expect((await readTokenPair(serviceUserId))?.refreshToken).toBe("refresh-first");
});

test("renews a pair after a week and leaves younger ones alone", async () => {
  await setClockAhead("6 days 23 hours");
  await renewOldTokens();
  expect((await readTokenPair(serviceUserId))?.refreshToken).toBe("refresh-first");
  await setClockAhead("7 days 1 hour");
  await renewOldTokens();
  expect(await readTokenPair(serviceUserId)).toMatchObject({
    refreshToken: "refresh-second",
    isRefreshTokenLive: true,
  });
});

test("disconnecting revokes at the service and forgets here", async () => {
  expect(await disconnect(serviceUserId)).toEqual({ kind: "disconnected" });
  expect(service.requestsOf("POST /v1/oauth/revoke")[0]?.body).toEqual({ token: "refresh-first" });
  expect(await readTokenPair(serviceUserId)).toBeUndefined();
});

test("disconnecting forgets nothing while the service cannot be asked", async () => {
  service.answer("POST /v1/oauth/revoke", () => refused(503, "unavailable"));
  expect(await disconnect(serviceUserId)).toEqual({ kind: "unavailable" });
  expect(await readTokenPair(serviceUserId)).toBeDefined();
});

test("keeps both tokens encrypted, each for its own row", async () => {
  const { rows } = await database().execute(sql`select t::text as line from token_pairs t`);
  expect(JSON.stringify(rows)).not.toMatch(/access-first|refresh-first/);
  const other = newId();
  await database().execute(sql`insert into token_pairs select ${other}, access_token_encrypted, refresh_token_encrypted,
    access_token_expires_at, refresh_token_expires_at, issued_at from token_pairs where service_user_id = ${serviceUserId}`);
  await expect(readTokenPair(other)).rejects.toThrow("another place");
});
