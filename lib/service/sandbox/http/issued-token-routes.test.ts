import { describe, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { tokenList } from "../../../contract/sandbox.ts";
import { eventPage } from "../../../contract/sandbox-events.ts";
import { newId } from "../../../kit/ids.ts";
import { sha256 } from "../../../kit/secrets.ts";
import { authenticateAccessToken } from "../../operations/tokens/authenticate.ts";
import { exchangeAuthorizationCode, refreshTokens } from "../../operations/tokens/grant-tokens.ts";
import { database } from "../../storage/database.ts";
import { advanceClock, createTestClient, type TestClient, testRedirectUri } from "../../testing/clients.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { insertTestCode, issueTestTokens, testVerifier } from "../../testing/tokens.ts";
import { insertTestSessionToken, openTestVisit } from "../../testing/visits.ts";
import { resetClock } from "../clock.ts";
import { fingerprintsOf } from "../events/fingerprint.ts";
import { listNewestTokens } from "../storage/issued-tokens.ts";

describe("GET /sandbox/tokens", () => {
  test("200: a token appears as its fingerprint in events", async () => {
    const client = await createTestClient();
    const { userId } = await insertTestUser(client);
    const code = await insertTestCode(client, userId);
    const proof = { redirect_uri: testRedirectUri, code_verifier: testVerifier };
    await client.call("POST", "/v1/oauth/token", { form: { grant_type: "authorization_code", code, ...proof } });
    const [exchange] = eventPage.parse((await client.call("GET", "/sandbox/events")).json).events;
    if (exchange?.kind !== "call") throw new Error("The exchange is a call.");
    const { facts } = exchange;
    const { tokens } = await tokensOf(client);
    expect(tokens.map(({ kind, token, user_id }) => [kind, token, user_id])).toEqual(
      expect.arrayContaining([
        ["access_token", facts.issued?.access_token, userId],
        ["refresh_token", facts.issued?.refresh_token, userId],
        ["authorization_code", facts.code, userId],
      ]),
    );
    expect(tokens).toHaveLength(3);
  });

  test("200: each has its state by the client's clock", async () => {
    const client = await createTestClient();
    const person = await insertTestUser(client);
    const first = await issueTestTokens(client, person.userId);
    const current = await issueTestTokens(client, person.userId);
    expect(await statesOf(client, [first.accessToken, current.accessToken, current.refreshToken])).toEqual([
      "superseded",
      "live",
      "live",
    ]);
    await advanceClock(client, limits.accessTokenSeconds);
    expect(await statesOf(client, [first.accessToken, current.accessToken, current.refreshToken])).toEqual([
      "expired",
      "expired",
      "live",
    ]);
    await client.call("POST", "/v1/oauth/revoke", { form: { token: current.refreshToken } });
    expect(await statesOf(client, [first.accessToken, current.refreshToken])).toEqual(["revoked", "revoked"]);
    const { now } = await tokensOf(client);
    expect(Date.parse(now) - Date.now()).toBeGreaterThan((limits.accessTokenSeconds - 60) * 1000);
  });

  test("200: codes and identity verification tokens are live, spent or expired", async () => {
    const client = await createTestClient();
    const person = await insertTestUser(client);
    const intent = await insertTestIntent(client);
    const unused = await insertTestCode(client, person.userId);
    const session = await insertTestSessionToken(client, intent);
    await openTestVisit(client, person);
    await issueTestTokens(client, person.userId);
    const { tokens } = await tokensOf(client);
    const shown = tokens
      .filter(({ kind }) => kind === "authorization_code" || kind === "identity_verification_token")
      .map(({ kind, state, user_id, user_intent_id }) => [kind, state, user_id, user_intent_id]);
    expect(shown).toEqual([
      ["authorization_code", "spent", person.userId, null],
      ["identity_verification_token", "spent", person.userId, null],
      ["identity_verification_token", "live", null, intent.userIntentId],
      ["authorization_code", "live", person.userId, null],
    ]);
    await advanceClock(client, limits.authorizationCodeSeconds);
    expect(await statesOf(client, [unused, session])).toEqual(["expired", "expired"]);
  });

  test("200: none of another client, and no usable tokens", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const pair = await issueTestTokens(otherClient, (await insertTestUser(otherClient)).userId);
    expect((await tokensOf(client)).tokens).toEqual([]);
    const { text } = await otherClient.call("GET", "/sandbox/tokens");
    for (const token of Object.values(pair)) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(sha256(token).toString("hex"));
    }
  });

  test("the newest of each kind are found among many future-dated or ended ones", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const { userId } = await insertTestUser(client);
    await advanceClock(client, 30 * 86_400);
    for (let round = 0; round < 3; round++) await issueTestTokens(client, userId);
    await resetClock(clientId);
    for (let round = 0; round < 3; round++) await issueTestTokens(client, userId);
    const ended = await issueTestTokens(client, userId);
    await expire(client, userId, "refresh_token");
    const last = await issueTestTokens(client, userId);
    const listed = await listNewestTokens(database(), { clientId, limit: 2 });
    const refreshes = listed.filter(({ kind }) => kind === "refresh_token");
    expect(refreshes.map(({ tokenHash, state }) => [tokenHash, state])).toEqual([
      [sha256(last.refreshToken), "live"],
      [sha256(ended.refreshToken), "expired"],
    ]);
    expect(listed).toHaveLength(6);
  });

  test("401: without credentials", async () => {
    const { call } = await createTestClient();
    expect((await call("GET", "/sandbox/tokens", { authorization: null })).status).toBe(401);
  });
});

describe("POST /sandbox/users/{id}/tokens/expire", () => {
  test("200: the access token expires, and the refresh token still works", async () => {
    const client = await createTestClient();
    const { userId } = await insertTestUser(client);
    await advanceClock(client, 86_400);
    const { accessToken: bearer, refreshToken } = await issueTestTokens(client, userId);
    expect(await expire(client, userId, "access_token")).toEqual([200, { ended: 1 }]);
    const refused = await client.call("GET", "/v1/user", { bearer });
    expect([refused.status, refused.json["reason"]]).toEqual([401, "token_expired"]);
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    const refreshed = await client.call("POST", "/v1/oauth/token", { form });
    expect(refreshed.status).toBe(200);
    const next = String(refreshed.json["access_token"]);
    expect((await client.call("GET", "/v1/user", { bearer: next })).status).toBe(200);
  });

  test("200: refresh tokens expire, and the access token still works", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const { userId } = await insertTestUser(client);
    const first = await issueTestTokens(client, userId);
    const second = await issueTestTokens(client, userId);
    expect(await expire(client, userId, "refresh_token")).toEqual([200, { ended: 2 }]);
    for (const { refreshToken } of [first, second]) {
      expect(await refreshTokens(refreshToken, { clientId })).toEqual({
        kind: "invalid_grant",
        cause: "refresh_token_expired",
      });
      const form = { grant_type: "refresh_token", refresh_token: refreshToken };
      const refused = await client.call("POST", "/v1/oauth/token", { form });
      expect([refused.status, refused.json["error"]]).toEqual([400, "invalid_grant"]);
    }
    expect((await authenticateAccessToken(second.accessToken)).kind).toBe("valid");
    expect((await authenticateAccessToken(first.accessToken)).kind).toBe("superseded");
  });

  test("200: other tokens and users aren't affected", async () => {
    const client = await createTestClient();
    const [firstUser, secondUser] = [await insertTestUser(client), await insertTestUser(client)];
    const old = await issueTestTokens(client, firstUser.userId);
    await client.call("POST", "/v1/oauth/revoke", { form: { token: old.refreshToken } });
    const otherPair = await issueTestTokens(client, secondUser.userId);
    for (const kind of ["access_token", "refresh_token"] as const) {
      expect(await expire(client, firstUser.userId, kind)).toEqual([200, { ended: 0 }]);
    }
    expect(await statesOf(client, [otherPair.accessToken, otherPair.refreshToken])).toEqual(["live", "live"]);
    expect(await statesOf(client, [old.accessToken, old.refreshToken])).toEqual(["revoked", "revoked"]);
  });

  test("404: another client's user and an unknown user; nothing changes", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const { userId } = await insertTestUser(otherClient);
    const pair = await issueTestTokens(otherClient, userId);
    for (const id of [userId, newId(), "nobody"]) {
      for (const kind of ["access_token", "refresh_token"] as const) {
        expect((await expire(client, id, kind))[0]).toBe(404);
      }
    }
    expect(await statesOf(otherClient, [pair.accessToken, pair.refreshToken])).toEqual(["live", "live"]);
  });

  test.each([{}, { kind: "authorization_code" }, { kind: "access_token", at: "now" }])("400: %j", async (body) => {
    const client = await createTestClient();
    const path = `/sandbox/users/${client.businessUserId}/tokens/expire`;
    expect((await client.call("POST", path, { body })).status).toBe(400);
  });

  test("it's recorded as an event of that user", async () => {
    const client = await createTestClient();
    const { userId } = await insertTestUser(client);
    await expire(client, userId, "access_token");
    await revoke(client, userId);
    const { json } = await client.call("GET", `/sandbox/events?join=user:${userId}`);
    expect(eventPage.parse(json).events).toMatchObject([
      { kind: "control", operation: "expireSandboxTokens", request: { body: { kind: "access_token" } } },
      { kind: "control", operation: "revokeSandboxTokens", path: `/sandbox/users/${userId}/tokens/revoke` },
    ]);
  });
});

describe("POST /sandbox/users/{id}/tokens/revoke", () => {
  test("200: ends every authorization of this user only, with its codes and tokens", async () => {
    const client = await createTestClient();
    const { clientId } = client;
    const [firstUser, secondUser] = [await insertTestUser(client), await insertTestUser(client)];
    const first = await issueTestTokens(client, firstUser.userId);
    const second = await issueTestTokens(client, firstUser.userId);
    const code = await insertTestCode(client, firstUser.userId);
    const otherPair = await issueTestTokens(client, secondUser.userId);
    expect(await revoke(client, firstUser.userId)).toEqual([200, { ended: 3 }]);
    const tokens = [first.accessToken, first.refreshToken, second.accessToken, second.refreshToken, code];
    expect(await statesOf(client, tokens)).toEqual(tokens.map(() => "revoked"));
    expect(await authenticateAccessToken(second.accessToken)).toMatchObject({ cause: "access_token_revoked" });
    expect(await refreshTokens(first.refreshToken, { clientId })).toMatchObject({ cause: "refresh_token_revoked" });
    const proof = { code, redirectUri: testRedirectUri, codeVerifier: testVerifier };
    expect((await exchangeAuthorizationCode(proof, { clientId })).kind).toBe("invalid_grant");
    expect((await authenticateAccessToken(otherPair.accessToken)).kind).toBe("valid");
    expect(await revoke(client, firstUser.userId)).toEqual([200, { ended: 0 }]);
    expect((await authenticateAccessToken((await issueTestTokens(client, firstUser.userId)).accessToken)).kind).toBe(
      "valid",
    );
  });

  test("404: another client's user and an unknown user; nothing changes", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const { userId } = await insertTestUser(otherClient);
    const { accessToken } = await issueTestTokens(otherClient, userId);
    for (const id of [userId, newId(), "nobody"]) expect((await revoke(client, id))[0]).toBe(404);
    expect((await authenticateAccessToken(accessToken)).kind).toBe("valid");
  });
});

async function tokensOf({ call }: TestClient) {
  const { status, json } = await call("GET", "/sandbox/tokens");
  expect(status).toBe(200);
  return tokenList.parse(json);
}

async function statesOf(client: TestClient, texts: string[]) {
  const { tokens } = await tokensOf(client);
  const fingerprint = fingerprintsOf(client.clientId);
  return texts.map((text) => tokens.find(({ token }) => token === fingerprint(text))?.state);
}

async function expire({ call }: TestClient, userId: string, kind: "access_token" | "refresh_token") {
  const { status, json } = await call("POST", `/sandbox/users/${userId}/tokens/expire`, { body: { kind } });
  return [status, json] as const;
}

async function revoke({ call }: TestClient, userId: string) {
  const { status, json } = await call("POST", `/sandbox/users/${userId}/tokens/revoke`);
  return [status, json] as const;
}
