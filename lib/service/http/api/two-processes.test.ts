import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { type ApiBehindProxy, startApiBehindProxy } from "../../testing/killable-api.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { issueTestTokens } from "../../testing/tokens.ts";

// Processes share only PostgreSQL, so a caller can't tell them apart. `call` uses the API of this process, `askOther`
// one in another process.

let other: ApiBehindProxy;
beforeAll(async () => {
  other = await startApiBehindProxy();
});
afterAll(() => other.stop());

async function callOther(
  method: string,
  path: string,
  { authorization, body, headers }: { authorization: string; body?: object; headers?: Record<string, string> },
) {
  const response = await fetch(`${other.url}${path}`, {
    method,
    headers: { authorization, ...headers, ...(body && { "content-type": "application/json" }) },
    body: body ? JSON.stringify(body) : null,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function readUserAtOther(accessToken: string) {
  return callOther("GET", "/v1/user", { authorization: `Bearer ${accessToken}` });
}

test("an access token superseded in one process is refused by the other at once, and the new one is valid", async () => {
  const { call, ...client } = await createClientWithSeller();
  const first = await issueTestTokens(client, client.sellerId);
  expect((await readUserAtOther(first.accessToken)).status).toBe(200);
  const form = { grant_type: "refresh_token", refresh_token: first.refreshToken };
  const { json } = await call("POST", "/v1/oauth/token", { form });
  const refused = await readUserAtOther(first.accessToken);
  expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("token_superseded")]);
  expect((await readUserAtOther(String(json["access_token"]))).status).toBe(200);
});

test("a token revoked or expired in one process is refused by the other at once", async () => {
  const { call, ...client } = await createClientWithSeller();
  const { sellerToken, businessToken } = client;
  for (const token of [sellerToken, businessToken]) expect((await readUserAtOther(token)).status).toBe(200);
  await call("POST", "/v1/oauth/revoke", { form: { token: sellerToken } });
  expect((await readUserAtOther(sellerToken)).text).toContain("invalid_token");
  await call("POST", "/sandbox/clock/advance", { body: { seconds: 7200 } });
  expect((await readUserAtOther(businessToken)).text).toContain("token_expired");
});

test("a key used in one process is replayed by the other, byte for byte", async () => {
  const { call, ...client } = await createClientWithSeller();
  const headers = { "idempotency-key": randomUUID() };
  const body = { name: "Payout", amount: 1, source_id: client.operatingId, destination_id: client.walletId };
  const authorization = `Bearer ${client.businessToken}`;
  const first = await call("POST", "/v1/routines/book", { body, headers, bearer: client.businessToken });
  const second = await callOther("POST", "/v1/routines/book", { authorization, body, headers });
  expect([second.status, second.text]).toEqual([201, first.text]);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
});

test("faults set in one process are counted across both", async () => {
  const { call, ...client } = await createClientWithSeller();
  const set = { operation: "readUser", status: 503, times: 2 };
  expect((await call("PUT", "/sandbox/faults", { body: set })).status).toBe(200);
  expect((await readUserAtOther(client.sellerToken)).status).toBe(503);
  expect((await call("GET", "/v1/user", { bearer: client.sellerToken })).status).toBe(503);
  expect((await readUserAtOther(client.sellerToken)).status).toBe(200);
});

test("each process shows the sandbox log of both", async () => {
  const { call, ...client } = await createClientWithSeller();
  const authorization = basicCredentials(client.clientId, client.clientSecret);
  await call("GET", "/v1/user_intent/asked-here", {});
  await callOther("GET", "/v1/user_intent/asked-there", { authorization });
  for (const read of [
    async () => (await call("GET", "/sandbox/requests")).text,
    async () => (await callOther("GET", "/sandbox/requests", { authorization })).text,
  ]) {
    await expect.poll(read).toMatch(/asked-here.*asked-there|asked-there.*asked-here/);
  }
});
