import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/testing/basic-credentials.ts";
import { type CallAnswer, createTestClient, type TestClient, testRedirectUri } from "../../testing/clients.ts";
import { advanceClock } from "../../testing/clock.ts";
import { insertTestUser } from "../../testing/people.ts";
import { insertTestCode, issueTestTokens, testVerifier } from "../../testing/tokens.ts";

// The guarantee: the operator's log says which of the things was wrong with a grant, and the answer never does.

const path = "/v1/oauth/token";
const logFolder = mkdtempSync(join(tmpdir(), "refusal-causes-"));
const logFile = join(logFolder, "service.log");
// Before anything writes a line: the log is opened once.
process.env["LOG_FILE"] = logFile;
process.env["LOG_LEVEL"] = "info";
afterAll(() => rmSync(logFolder, { recursive: true }));

async function somebody() {
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

type Somebody = Awaited<ReturnType<typeof somebody>>;

function ask({ call }: Pick<TestClient, "call">, form: Record<string, string>): Promise<CallAnswer> {
  return call("POST", path, { form });
}

const refused: [string, (person: Somebody) => Promise<CallAnswer>][] = [
  ["code_unknown", (person) => ask(person, { ...person.exchange, code: "gwc_x" })],
  ["code_of_another_client", async (person) => ask(await createTestClient(), person.exchange)],
  ["redirect_uri_wrong", (person) => ask(person, { ...person.exchange, redirect_uri: `${testRedirectUri}/x` })],
  ["code_verifier_wrong", (person) => ask(person, { ...person.exchange, code_verifier: "b".repeat(43) })],
  [
    "code_expired",
    async (person) => {
      await advanceClock(person.client, 300);
      return ask(person, person.exchange);
    },
  ],
  [
    "code_revoked",
    async (person) => {
      await person.call("POST", "/v1/oauth/revoke", { form: { token: person.accessToken } });
      return ask(person, person.exchange);
    },
  ],
  [
    "code_proven_twice",
    async (person) => {
      expect((await ask(person, person.exchange)).status).toBe(200);
      return ask(person, person.exchange);
    },
  ],
  [
    "code_spent",
    async (person) => {
      expect((await ask(person, person.exchange)).status).toBe(200);
      return ask(person, { ...person.exchange, code_verifier: "b".repeat(43) });
    },
  ],
  ["refresh_token_unknown", (person) => ask(person, { ...person.refresh, refresh_token: "gwr_x" })],
  ["refresh_token_of_another_client", async (person) => ask(await createTestClient(), person.refresh)],
  [
    "refresh_token_revoked",
    async (person) => {
      await person.call("POST", "/v1/oauth/revoke", { form: { token: person.accessToken } });
      return ask(person, person.refresh);
    },
  ],
  [
    "refresh_token_expired",
    async (person) => {
      await advanceClock(person.client, 864_000);
      return ask(person, person.refresh);
    },
  ],
];

test.each(refused)("400 invalid_grant: %s stands in the log, and every answer is the same", async (cause, refuse) => {
  const person = await somebody();
  const reference = await ask(person, { ...person.refresh, refresh_token: "gwr_never_issued" });
  const answer = await refuse(person);
  expect([answer.status, answer.text]).toEqual([400, reference.text]);
  expect(JSON.stringify([...answer.headers])).not.toContain(cause);
  expect(logLineOf(answer)).toMatchObject({ operation: "issueTokens", status: 400, reason: "invalid_grant", cause });
});

test.each([
  ["client_unknown", ({ clientSecret }: TestClient) => basicCredentials("nobody", clientSecret)],
  ["client_secret_wrong", ({ clientId }: TestClient) => basicCredentials(clientId, "wrong")],
  ["credentials_malformed", () => "Basic *"],
  ["credentials_missing", () => null],
])("401 invalid_client: %s stands in the log alone", async (cause, authorizationOf) => {
  const client = await createTestClient();
  const answer = await client.call("POST", path, { form: {}, authorization: authorizationOf(client) });
  expect([answer.status, answer.json["error"]]).toEqual([401, "invalid_client"]);
  expect(answer.text).not.toContain(cause);
  expect(logLineOf(answer)).toMatchObject({ reason: "invalid_client", cause });
});

test("200: a request that is not refused has neither reason nor cause in its log line", async () => {
  const person = await somebody();
  const line = logLineOf(await ask(person, person.refresh));
  expect(line).toMatchObject({ operation: "issueTokens", status: 200 });
  expect(line).not.toHaveProperty("reason");
  expect(line).not.toHaveProperty("cause");
});

test("the sandbox's log of requests, which the client reads, tells the reason and not the cause", async () => {
  const person = await somebody();
  const answer = await ask(person, { ...person.refresh, refresh_token: "gwr_x" });
  const { text, json } = await person.call("GET", "/sandbox/requests");
  expect(text).not.toContain("refresh_token_unknown");
  expect(json["requests"]).toContainEqual(
    expect.objectContaining({ request_id: answer.headers.get("request-id"), reason: "invalid_grant" }),
  );
});

function logLineOf(answer: CallAnswer): Record<string, unknown> {
  const requestId = answer.headers.get("request-id");
  const lines = readFileSync(logFile, "utf8").trim().split("\n");
  const line = lines.map((text) => JSON.parse(text)).find((each) => each.requestId === requestId);
  if (!line) throw new Error("The request has no log line.");
  return line;
}
