import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { logToFile } from "../../../kit/testing/log-file.ts";
import {
  advanceClock,
  type CallAnswer,
  createTestClient,
  type TestClient,
  testRedirectUri,
} from "../../testing/clients.ts";
import { insertTestUser, personDetails } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { insertTestCode, issueTestTokens, testVerifier } from "../../testing/tokens.ts";

// The operator's log has the exact cause; the response never does.

const path = "/v1/oauth/token";
const readLog = logToFile();

async function clientWithUser() {
  const client = await createTestClient();
  const { userId } = await insertTestUser(client);
  const code = await insertTestCode(client, userId);
  const exchange = { grant_type: "authorization_code", code, redirect_uri: testRedirectUri };
  const { accessToken, refreshToken } = await issueTestTokens(client, userId);
  return {
    ...client,
    client,
    accessToken,
    exchange: { ...exchange, code_verifier: testVerifier },
    refresh: { grant_type: "refresh_token", refresh_token: refreshToken },
  };
}

type ClientWithUser = Awaited<ReturnType<typeof clientWithUser>>;

function requestToken({ call }: Pick<TestClient, "call">, form: Record<string, string>): Promise<CallAnswer> {
  return call("POST", path, { form });
}

const refused: [string, (person: ClientWithUser) => Promise<CallAnswer>][] = [
  ["code_unknown", (person) => requestToken(person, { ...person.exchange, code: "gwc_x" })],
  ["code_of_another_client", async (person) => requestToken(await createTestClient(), person.exchange)],
  [
    "redirect_uri_wrong",
    (person) => requestToken(person, { ...person.exchange, redirect_uri: `${testRedirectUri}/x` }),
  ],
  ["code_verifier_wrong", (person) => requestToken(person, { ...person.exchange, code_verifier: "b".repeat(43) })],
  [
    "code_expired",
    async (person) => {
      await advanceClock(person.client, 300);
      return requestToken(person, person.exchange);
    },
  ],
  [
    "code_revoked",
    async (person) => {
      await person.call("POST", "/v1/oauth/revoke", { form: { token: person.accessToken } });
      return requestToken(person, person.exchange);
    },
  ],
  [
    "code_proven_twice",
    async (person) => {
      expect((await requestToken(person, person.exchange)).status).toBe(200);
      return requestToken(person, person.exchange);
    },
  ],
  [
    "code_spent",
    async (person) => {
      expect((await requestToken(person, person.exchange)).status).toBe(200);
      return requestToken(person, { ...person.exchange, code_verifier: "b".repeat(43) });
    },
  ],
  ["refresh_token_unknown", (person) => requestToken(person, { ...person.refresh, refresh_token: "gwr_x" })],
  ["refresh_token_of_another_client", async (person) => requestToken(await createTestClient(), person.refresh)],
  [
    "refresh_token_revoked",
    async (person) => {
      await person.call("POST", "/v1/oauth/revoke", { form: { token: person.accessToken } });
      return requestToken(person, person.refresh);
    },
  ],
  [
    "refresh_token_expired",
    async (person) => {
      await advanceClock(person.client, 864_000);
      return requestToken(person, person.refresh);
    },
  ],
];

test.each(refused)(
  "400 invalid_grant: the log has the cause %s, and every response is the same",
  async (cause, refuse) => {
    const person = await clientWithUser();
    const reference = await requestToken(person, { ...person.refresh, refresh_token: "gwr_never_issued" });
    const answer = await refuse(person);
    expect([answer.status, answer.text]).toEqual([400, reference.text]);
    expect(JSON.stringify([...answer.headers])).not.toContain(cause);
    expect(logLineOf(answer)).toMatchObject({ operation: "issueTokens", status: 400, reason: "invalid_grant", cause });
  },
);

test.each([
  ["client_unknown", ({ clientSecret }: TestClient) => basicCredentials("nobody", clientSecret)],
  ["client_secret_wrong", ({ clientId }: TestClient) => basicCredentials(clientId, "wrong")],
  ["credentials_malformed", () => "Basic *"],
  ["credentials_missing", () => null],
])("401 invalid_client: only the log has the cause %s", async (cause, authorizationOf) => {
  const client = await createTestClient();
  const answer = await client.call("POST", path, { form: {}, authorization: authorizationOf(client) });
  expect([answer.status, answer.json["error"]]).toEqual([401, "invalid_client"]);
  expect(answer.text).not.toContain(cause);
  expect(logLineOf(answer)).toMatchObject({ reason: "invalid_client", cause });
});

test.each<[string, (person: ClientWithUser) => Promise<string>]>([
  ["access_token_unknown", async () => "gwa_never_issued"],
  ["token_of_another_kind", async (person) => person.refresh.refresh_token],
  ["access_token_malformed", async () => "two words"],
  [
    "access_token_revoked",
    async (person) => {
      await person.call("POST", "/v1/oauth/revoke", { form: { token: person.accessToken } });
      return person.accessToken;
    },
  ],
])("401 invalid_token: the log has the cause %s, and every response is the same", async (cause, bearerOf) => {
  const person = await clientWithUser();
  const reference = await person.call("GET", "/v1/user", { bearer: "gwa_another_never_issued" });
  const answer = await person.call("GET", "/v1/user", { bearer: await bearerOf(person) });
  expect([answer.status, comparable(answer)]).toEqual([401, comparable(reference)]);
  expect(logLineOf(answer)).toMatchObject({ operation: "readUser", reason: "invalid_token", cause });
  expect((await person.call("GET", "/sandbox/requests")).text).not.toContain(cause);
});

test.each([
  ["authorization_missing", null],
  ["authorization_of_another_scheme", "Basic YTpi"],
])("401 missing_token: only the log has the cause %s", async (cause, authorization) => {
  const answer = await (await createTestClient()).call("GET", "/v1/user", { authorization });
  expect([answer.json["reason"], answer.text.includes(cause)]).toEqual(["missing_token", false]);
  expect(logLineOf(answer)).toMatchObject({ reason: "missing_token", cause });
});

test.each(["rejected", "suspended"] as const)(
  "403 person_not_permitted: only the log has the cause %s",
  async (status) => {
    const client = await createTestClient();
    const { phone } = await insertTestUser(client, { status });
    const answer = await client.call("POST", "/v1/user_intent", { body: personDetails({ phone }) });
    expect([answer.json["reason"], answer.text.includes(`user_${status}`)]).toEqual(["person_not_permitted", false]);
    expect(logLineOf(answer)).toMatchObject({ reason: "person_not_permitted", cause: `user_${status}` });
  },
);

test("403: the log has the type and status of a user without permission to book", async () => {
  const { call, businessUserId, businessToken, sellerToken } = await createClientWithSeller();
  const bySeller = await call("POST", "/v1/routines/book", { bearer: sellerToken, body: {} });
  expect(logLineOf(bySeller)).toMatchObject({ reason: "business_user_required", cause: "personal_user_approved" });
  await call("POST", `/sandbox/users/${businessUserId}/status`, { body: { status: "suspended" } });
  const suspended = await call("POST", "/v1/routines/book", { bearer: businessToken, body: {} });
  expect(logLineOf(suspended)).toMatchObject({ reason: "user_not_approved", cause: "business_user_suspended" });
  expect(suspended.text).not.toContain("business_user_suspended");
});

test.each(["before", "after"])("the log line of a call cut %s has no status but a cause", async (cut) => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/faults", { body: { operation: "createUserIntent", cut, times: 1 } });
  const traceId = randomUUID().replaceAll("-", "");
  const headers = { traceparent: `00-${traceId}-${"12".repeat(8)}-01` };
  await expect(client.call("POST", "/v1/user_intent", { body: {}, headers })).rejects.toThrow(
    "closed without an answer",
  );
  const line = readLog().find((one) => one["traceId"] === traceId && one["msg"] === "request");
  expect(line).toMatchObject({ operation: "createUserIntent", status: null, cause: "sandbox_fault" });
  expect(line).not.toHaveProperty("reason");
});

test("200: the log line of a successful request has no reason or cause", async () => {
  const person = await clientWithUser();
  const line = logLineOf(await requestToken(person, person.refresh));
  expect(line).toMatchObject({ operation: "issueTokens", status: 200 });
  expect(line).not.toHaveProperty("reason");
  expect(line).not.toHaveProperty("cause");
});

test("a request's log line has exactly these fields, regardless of what was sent", async () => {
  const person = await clientWithUser();
  const { pid, hostname, level, time, msg, ...line } = logLineOf(
    await requestToken(person, { ...person.refresh, note: "x" }),
  );
  expect([level, msg]).toEqual([30, "request"]);
  expect(Object.keys(line).sort()).toEqual(
    ["clientId", "durationMs", "method", "operation", "requestId", "status", "traceId"].sort(),
  );
});

test("the sandbox's request log shows clients the reason but not the cause", async () => {
  const person = await clientWithUser();
  const answer = await requestToken(person, { ...person.refresh, refresh_token: "gwr_x" });
  const { text, json } = await person.call("GET", "/sandbox/requests");
  expect(text).not.toContain("refresh_token_unknown");
  expect(json["requests"]).toContainEqual(
    expect.objectContaining({ request_id: answer.headers.get("request-id"), reason: "invalid_grant" }),
  );
});

/** A response without its request id. */
function comparable({ text, json, headers }: CallAnswer) {
  const compared = [...headers].filter(([name]) => name !== "request-id");
  return { body: text.replace(String(json["request_id"]), ""), headers: compared };
}

function logLineOf(answer: CallAnswer): Record<string, unknown> {
  const requestId = answer.headers.get("request-id");
  const line = readLog().find((each) => each["requestId"] === requestId);
  if (!line) throw new Error("The request has no log line.");
  return line;
}
