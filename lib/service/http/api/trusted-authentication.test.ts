import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenPair } from "../../../contract/tokens.ts";
import { type FakeServer, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { authorizeVisit } from "../../operations/visits/finish-visit.ts";
import { answerAuthorizationRequest } from "../../pages/authorization-entry.ts";
import { readMessages } from "../../sandbox/visit-tools.ts";
import { database } from "../../storage/database.ts";
import { findUser } from "../../storage/people.ts";
import { breakResolver } from "../../testing/break-resolver.ts";
import { createTestClient } from "../../testing/clients.ts";

const redirect_uri = "https://partner.example/callback";

let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(() => fake.stop());

test("issues a new pair without a verification code after the access token has expired", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/client", { body: { redirect_uris: [redirect_uri], customers_url: fake.url } });
  const old = await authorizeByTrust(client);
  await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 2 * 3600 } });
  const expired = await client.call("GET", "/v1/user", { bearer: old.access_token });
  expect([expired.status, expired.json["reason"]]).toEqual([401, "token_expired"]);

  const renewed = await authorizeByTrust(client);
  expect(renewed.access_token).not.toBe(old.access_token);
  expect(renewed.refresh_token).not.toBe(old.refresh_token);
  const user = await client.call("GET", "/v1/user", { bearer: renewed.access_token });
  expect([user.status, user.json["id"]]).toEqual([200, client.businessUserId]);
  expect(await readMessages(client.clientId, client.businessUserPhone)).toEqual([]);
});

test("503: a DNS failure is not blamed on the customer endpoint", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/client", { body: { customers_url: "http://customers.example" } });
  const { provider, businessUserId: user_id } = client;
  const body = { provider, provider_data: { customer_id: "customer-1" }, user_id };
  const restore = breakResolver("EAI_AGAIN");
  try {
    const { status, json, headers } = await client.call("POST", "/v1/partner/identity/verification", { body });
    expect([status, json["reason"], headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
  } finally {
    await restore();
  }
});

/** The published flow with user_id: session token, authorization page, Authorize, exchange. */
async function authorizeByTrust(client: Awaited<ReturnType<typeof createTestClient>>) {
  const { clientId, businessUserId: user_id, provider } = client;
  const user = await findUser(database(), { id: user_id, clientId });
  const { json: clock } = await client.call("GET", "/sandbox/clock");
  const customer = { customer_id: "customer-1", first_name: "Ada", last_name: "Quay", phone: user?.phone };
  fake.answer((_request, response) => {
    response.end(JSON.stringify({ ...customer, lastAuthenticationTime: clock["now"] }));
  });
  const provider_data = { customer_id: "customer-1" };
  const minted = await client.call("POST", "/v1/partner/identity/verification", {
    body: { provider, provider_data, user_id },
  });
  expect(minted.json["trusted"]).toBe(true);
  const session_token = String(minted.json["token"]);
  const query = new URLSearchParams({
    session_token,
    client_id: clientId,
    user_id,
    redirect_uri,
    response_type: "code",
  });
  const entry = await answerAuthorizationRequest(new Request(`http://127.0.0.1:4000/login/oauth/authorize?${query}`));
  const visitId = entry.headers.get("location")?.split("/").at(-1) ?? "";
  const visitSecret = /=([^;]+);/.exec(entry.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const outcome = await authorizeVisit({ visitId, visitSecret });
  if (outcome.kind !== "authorized") throw new Error(outcome.kind);
  const code = new URL(outcome.returnTo).searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri };
  return tokenPair.parse((await client.call("POST", "/v1/oauth/token", { form })).json);
}
