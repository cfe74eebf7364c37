import { describe, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { authenticateAccessToken } from "../../operations/tokens/authenticate.ts";
import { flushEventLog } from "../../sandbox/events/event-log.ts";
import { advanceClock, createTestClient, type TestClient, testRedirectUri } from "../../testing/clients.ts";
import { insertTestUser } from "../../testing/people.ts";
import { insertTestCode, issueTestTokens, testVerifier } from "../../testing/tokens.ts";

const path = "/v1/oauth/token";

async function clientWithUser(): Promise<{ client: TestClient; call: TestClient["call"]; userId: string }> {
  const client = await createTestClient();
  return { client, call: client.call, userId: (await insertTestUser(client)).userId };
}

async function exchangeForm(client: TestClient, userId: string): Promise<Record<string, string>> {
  return {
    grant_type: "authorization_code",
    code: await insertTestCode(client, userId),
    redirect_uri: testRedirectUri,
    code_verifier: testVerifier,
  };
}

const pair = {
  access_token: expect.stringMatching(/^gwa_[A-Za-z0-9_-]{43}$/),
  token_type: "Bearer",
  expires_in: 7200,
  refresh_token: expect.stringMatching(/^gwr_[A-Za-z0-9_-]{43}$/),
};

describe("POST /v1/oauth/token, authorization_code", () => {
  test.each(["form", "body"] as const)("200: a code gets a token pair, sent as %s", async (kind) => {
    const { call, client, userId } = await clientWithUser();
    const answer = await call("POST", path, { [kind]: await exchangeForm(client, userId) });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(pair);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect((await authenticateAccessToken(String(answer.json["access_token"]))).kind).toBe("valid");
  });

  test("200: unknown parameters are ignored", async () => {
    const { call, client, userId } = await clientWithUser();
    const form = { ...(await exchangeForm(client, userId)), scope: "all", nonsense: "1", client_id: client.clientId };
    expect((await call("POST", path, { form })).status).toBe(200);
  });

  test.each([
    ["code_verifier", { code_verifier: "b".repeat(43) }],
    ["code_verifier of 42 characters", { code_verifier: "b".repeat(42) }],
    ["missing code_verifier", { code_verifier: "" }],
    ["redirect_uri", { redirect_uri: `${testRedirectUri}#x` }],
  ])("400 invalid_grant: wrong %s, and the code is burned", async (_, wrong) => {
    const { call, client, userId } = await clientWithUser();
    const form = await exchangeForm(client, userId);
    const answer = await call("POST", path, { form: { ...form, ...wrong } });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ error: "invalid_grant", error_description: expect.any(String) });
    expect((await call("POST", path, { form })).json["error"]).toBe("invalid_grant");
  });

  test("400 invalid_grant: an unknown code, an expired code, and another client's, which stays valid", async () => {
    const { call, client, userId } = await clientWithUser();
    const form = await exchangeForm(client, userId);
    expect((await call("POST", path, { form: { ...form, code: "gwc_x" } })).json["error"]).toBe("invalid_grant");
    const otherClient = await createTestClient();
    expect((await otherClient.call("POST", path, { form })).json["error"]).toBe("invalid_grant");
    expect((await call("POST", path, { form })).status).toBe(200);
    const late = await exchangeForm(client, userId);
    await advanceClock(client, 300);
    expect((await call("POST", path, { form: late })).json["error"]).toBe("invalid_grant");
  });

  test("401 invalid_client: the code stays valid", async () => {
    const { call, client, userId } = await clientWithUser();
    const form = await exchangeForm(client, userId);
    const answer = await call("POST", path, { form, authorization: basicCredentials(client.clientId, "wrong") });
    expect(answer.status).toBe(401);
    expect(answer.json["error"]).toBe("invalid_client");
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    expect((await call("POST", path, { form })).status).toBe(200);
  });
});

describe("POST /v1/oauth/token, refresh_token", () => {
  test("200: a new pair; the old refresh token stays usable", async () => {
    const { call, client, userId } = await clientWithUser();
    const { accessToken, refreshToken } = await issueTestTokens(client, userId);
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    const first = await call("POST", path, { form });
    expect([first.status, first.json]).toEqual([200, pair]);
    const second = await call("POST", path, { body: form });
    expect(second.status).toBe(200);
    const refreshTokens = [refreshToken, first.json["refresh_token"], second.json["refresh_token"]];
    expect(new Set(refreshTokens).size).toBe(3);
    expect((await authenticateAccessToken(String(second.json["access_token"]))).kind).toBe("valid");
    expect((await authenticateAccessToken(accessToken)).kind).toBe("superseded");
  });

  test("400 invalid_grant: an unknown, another client's, or ten-day-old refresh token, or an access token", async () => {
    const { call, client, userId } = await clientWithUser();
    const { accessToken, refreshToken } = await issueTestTokens(client, userId);
    const refresh = (token: string, by = call) =>
      by("POST", path, { form: { grant_type: "refresh_token", refresh_token: token } });
    expect((await refresh("gwr_x")).json["error"]).toBe("invalid_grant");
    expect((await refresh(accessToken)).json["error"]).toBe("invalid_grant");
    expect((await refresh(refreshToken, (await createTestClient()).call)).json["error"]).toBe("invalid_grant");
    await advanceClock(client, 864_000);
    const late = await refresh(refreshToken);
    expect([late.status, late.json["error"]]).toEqual([400, "invalid_grant"]);
  });
});

describe("POST /v1/oauth/token refuses", () => {
  const form = { grant_type: "refresh_token", refresh_token: "gwr_x" };

  test.each([
    ["no grant_type", { grant_type: "" }, "invalid_request"],
    ["another grant_type", { grant_type: "password" }, "unsupported_grant_type"],
    ["no refresh_token", { refresh_token: "" }, "invalid_request"],
    ["no code", { grant_type: "authorization_code", redirect_uri: "x" }, "invalid_request"],
    ["no redirect_uri", { grant_type: "authorization_code", code: "x" }, "invalid_request"],
    ["a secret in the body", { client_secret: "x" }, "invalid_request"],
    ["an assertion in the body", { client_assertion: "x" }, "invalid_request"],
    ["another client_id in the body", { client_id: "another" }, "invalid_request"],
  ])("400: %s", async (_, change, error) => {
    const { call } = await createTestClient();
    const answer = await call("POST", path, { form: { ...form, ...change } });
    expect([answer.status, answer.json]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  test("400: a body that isn't an object", async () => {
    const { call } = await createTestClient();
    const answer = await call("POST", path, { body: [] });
    const error_description = "The body must be a JSON object.";
    expect([answer.status, answer.json]).toEqual([400, { error: "invalid_request", error_description }]);
  });

  test("400 invalid_request: a repeated parameter, in either order", async () => {
    const { call, client, userId } = await clientWithUser();
    const { refreshToken } = await issueTestTokens(client, userId);
    const repeated = `grant_type=refresh_token&refresh_token=${refreshToken}&refresh_token=${refreshToken}`;
    const answer = await call("POST", path, { form: repeated, rawBody: repeated });
    expect([answer.status, answer.json["error"]]).toEqual([400, "invalid_request"]);
  });

  test.each([
    ["a string as the body", '"refresh_token"'],
    ["a list", "[]"],
    ["a number as the token", '{"grant_type":"refresh_token","refresh_token":5}'],
    ["a truncated body", '{"grant_type":'],
  ])("400 invalid_request: %s", async (_, rawBody) => {
    const { call } = await createTestClient();
    const answer = await call("POST", path, { rawBody, headers: { "content-type": "application/json" } });
    expect([answer.status, answer.json["error"]]).toEqual([400, "invalid_request"]);
  });

  test("415 and 405: as RFC 6749 errors", async () => {
    const { call } = await createTestClient();
    const wrongType = await call("POST", path, { rawBody: "x", headers: { "content-type": "text/plain" } });
    expect([wrongType.status, wrongType.json["error"]]).toEqual([415, "invalid_request"]);
    const wrongMethod = await call("GET", path);
    expect([wrongMethod.status, wrongMethod.json["error"]]).toEqual([405, "invalid_request"]);
  });

  test.each([
    ["no credentials", () => null],
    ["no Base64", () => "Basic *"],
    ["no colon", () => `Basic ${Buffer.from("nobody").toString("base64")}`],
    ["an empty id", () => `Basic ${Buffer.from(":secret").toString("base64")}`],
    ["another scheme", () => "Bearer gwa_x"],
    ["two credentials", (basic: string) => `${basic}, ${basic}`],
    ["a broken percent sign", () => `Basic ${Buffer.from("a%zz:secret").toString("base64")}`],
    ["bytes that aren't text", () => `Basic ${Buffer.from([255, 58, 255]).toString("base64")}`],
  ])("401 invalid_client: %s", async (_, headerOf) => {
    const { call, clientId, clientSecret } = await createTestClient();
    const authorization = headerOf(basicCredentials(clientId, clientSecret));
    const answer = await call("POST", path, { form, authorization });
    expect([answer.status, answer.json["error"]]).toEqual([401, "invalid_client"]);
  });
});

describe("client_secret_post (Decision D2)", () => {
  test.each(["form", "body"] as const)("200: id and secret in a %s, at both endpoints", async (how) => {
    const { call, client, userId } = await clientWithUser();
    const { refreshToken } = await issueTestTokens(client, userId);
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const send = (to: string, parameters: object) =>
      call("POST", to, { [how]: { ...credentials, ...parameters }, authorization: null });
    const refreshed = await send(path, { grant_type: "refresh_token", refresh_token: refreshToken });
    expect([refreshed.status, Object.keys(refreshed.json)]).toEqual([200, expect.arrayContaining(["access_token"])]);
    expect((await send("/v1/oauth/revoke", { token: refreshToken })).status).toBe(200);
    const revoked = await send(path, { grant_type: "refresh_token", refresh_token: refreshToken });
    expect([revoked.status, revoked.json["error"]]).toEqual([400, "invalid_grant"]);
  });

  type Client = { clientId: string; clientSecret: string };
  test.each<[string, (client: Client) => Record<string, string>]>([
    ["nothing", () => ({})],
    ["an id alone", ({ clientId }) => ({ client_id: clientId })],
    ["a secret alone", ({ clientSecret }) => ({ client_secret: clientSecret })],
    ["an empty secret", ({ clientId }) => ({ client_id: clientId, client_secret: "" })],
    ["a wrong secret", ({ clientId, clientSecret }) => ({ client_id: clientId, client_secret: `${clientSecret}x` })],
    ["an unknown id", ({ clientSecret }) => ({ client_id: "nobody", client_secret: clientSecret })],
    ["an overlong id", ({ clientSecret }) => ({ client_id: "a".repeat(300), client_secret: clientSecret })],
  ])("401 invalid_client: %s in the body, always the same response", async (_, credentialsOf) => {
    const client = await createTestClient();
    for (const to of [path, "/v1/oauth/revoke"]) {
      const answer = await client.call("POST", to, {
        form: { token: "x", ...credentialsOf(client) },
        authorization: null,
      });
      expect([answer.status, answer.json]).toEqual([
        401,
        { error: "invalid_client", error_description: expect.stringContaining("in the body") },
      ]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    }
  });

  test.each([
    ["a header of another scheme", (_: Client) => "Bearer gwa_x", 401, "invalid_client"],
    [
      "Basic credentials in addition",
      ({ clientId, clientSecret }: Client) => basicCredentials(clientId, clientSecret),
      400,
      "invalid_request",
    ],
  ])("refuses a second credential: %s", async (_, headerOf, status, error) => {
    const client = await createTestClient();
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    for (const to of [path, "/v1/oauth/revoke"]) {
      const form = { ...credentials, token: "x", grant_type: "refresh_token", refresh_token: "x" };
      const answer = await client.call("POST", to, { form, authorization: headerOf(client) });
      expect([answer.status, answer.json["error"]]).toEqual([status, error]);
    }
  });

  test("400: an additional assertion, or a repeated secret", async () => {
    const client = await createTestClient();
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const form = { ...credentials, client_assertion: "x" };
    const repeated = `${new URLSearchParams(credentials)}&client_secret=x`;
    for (const options of [{ form }, { form: repeated, rawBody: repeated }]) {
      const answer = await client.call("POST", path, { ...options, authorization: null });
      expect([answer.status, answer.json["error"]]).toEqual([400, "invalid_request"]);
    }
  });

  test("401: other endpoints ignore credentials in the body", async () => {
    const { call, clientId, clientSecret } = await createTestClient();
    const body = { client_id: clientId, client_secret: clientSecret };
    expect((await call("POST", "/v1/user_intent", { body, authorization: null })).json["reason"]).toBe(
      "invalid_client",
    );
  });

  test("a sandbox records such a call with its client id but not its secret", async () => {
    const client = await createTestClient();
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    await client.call("POST", path, { form: { ...credentials, grant_type: "refresh_token" }, authorization: null });
    await flushEventLog();
    const { text } = await client.call("GET", "/sandbox/events");
    expect(text).toContain("issueTokens");
    expect(text).not.toContain(client.clientSecret);
    expect(text).not.toContain("client_secret");
  });
});

describe("POST /v1/oauth/revoke", () => {
  test.each(["accessToken", "refreshToken"] as const)("200: a live %s revokes everything of the user", async (kind) => {
    const { call, client, userId } = await clientWithUser();
    const tokens = await issueTestTokens(client, userId);
    const answer = await call("POST", "/v1/oauth/revoke", { form: { token: tokens[kind], token_type_hint: "x" } });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect((await authenticateAccessToken(tokens.accessToken)).kind).toBe("unknown");
    const form = { grant_type: "refresh_token", refresh_token: tokens.refreshToken };
    expect((await call("POST", path, { form })).json["error"]).toBe("invalid_grant");
    const bearer = await call("GET", "/v1/accounts", { bearer: tokens.accessToken });
    expect([bearer.status, bearer.json["reason"]]).toEqual([401, "invalid_token"]);
  });

  test("200: an unused code of the user becomes invalid", async () => {
    const { call, client, userId } = await clientWithUser();
    const { accessToken } = await issueTestTokens(client, userId);
    const form = await exchangeForm(client, userId);
    await call("POST", "/v1/oauth/revoke", { form: { token: accessToken } });
    expect((await call("POST", path, { form })).json["error"]).toBe("invalid_grant");
  });

  test("200: an unknown token changes nothing", async () => {
    const { call } = await createTestClient();
    expect((await call("POST", "/v1/oauth/revoke", { body: { token: "gwa_x" } })).status).toBe(200);
  });

  test("400 invalid_request: no token; 401: no client", async () => {
    const { call } = await createTestClient();
    const answer = await call("POST", "/v1/oauth/revoke", { form: {} });
    expect([answer.status, answer.json["error"]]).toEqual([400, "invalid_request"]);
    expect((await call("POST", "/v1/oauth/revoke", { form: { token: "x" }, authorization: null })).status).toBe(401);
  });
});

describe("GET /.well-known/oauth-authorization-server", () => {
  test("200: all endpoints, without credentials", async () => {
    const { call } = await createTestClient();
    const answer = await call("GET", "/.well-known/oauth-authorization-server", { authorization: null });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      issuer: "http://127.0.0.1:4000",
      authorization_endpoint: "http://127.0.0.1:4000/login/oauth/authorize",
      token_endpoint: "http://127.0.0.1:4000/v1/oauth/token",
      revocation_endpoint: "http://127.0.0.1:4000/v1/oauth/revoke",
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ["S256"],
    });
  });
});
