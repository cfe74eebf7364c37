import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { type FakeServer, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { authorizeVisit } from "../../operations/visits/finish-visit.ts";
import { openVisit } from "../../operations/visits/open-visit.ts";
import { readVisit } from "../../operations/visits/read-visit.ts";
import { verifyCode } from "../../operations/visits/verify-code.ts";
import { testRedirectUri } from "../../testing/clients.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { insertTestCode, issueTestTokens, testVerifier } from "../../testing/tokens.ts";
import { authorizationQuery, insertTestSessionToken, openTestVisit, readTestCodes } from "../../testing/visits.ts";

// Every published and decided lifetime, just before and after its end, by the client's clock alone (Decision D15).

const day = 24 * 60 * 60;
// Real seconds that a test may take on a busy machine.
const margin = 20;

let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(() => fake.stop());

describe("by the client's clock", () => {
  test("an access token lives 2 hours and is then reported as expired", async () => {
    const { call, advance, businessToken: bearer } = await clientWithClock();
    await advance(2 * 3600 - margin);
    expect((await call("GET", "/v1/user", { bearer })).status).toBe(200);
    await advance(margin);
    const answer = await call("GET", "/v1/user", { bearer });
    expect([answer.status, answer.json["reason"]]).toEqual([401, "token_expired"]);
  });

  test("a refresh token lives 10 days, and its successor 10 more", async () => {
    const client = await clientWithClock();
    const { advance, sellerId, refresh } = client;
    const { refreshToken } = await issueTestTokens(client, sellerId);
    await advance(10 * day - margin);
    const last = await refresh(refreshToken);
    expect(last.status).toBe(200);
    await advance(margin);
    const tooLate = await refresh(refreshToken);
    expect([tooLate.status, tooLate.json["error"]]).toEqual([400, "invalid_grant"]);
    await advance(10 * day - 2 * margin);
    expect((await refresh(String(last.json["refresh_token"]))).status).toBe(200);
  });

  test("an authorization code lives 5 minutes", async () => {
    const client = await clientWithClock();
    const { advance, sellerId, exchange } = client;
    const code = await insertTestCode(client, sellerId);
    await advance(5 * 60 - margin);
    expect((await exchange(code)).status).toBe(200);
    const late = await insertTestCode(client, sellerId);
    await advance(5 * 60);
    expect((await exchange(late)).json["error"]).toBe("invalid_grant");
  });

  test("an identity verification token opens the pages after 55 seconds, but not after 60", async () => {
    const { advance, open, mint } = await clientWithClock();
    const [early, late] = [await mint(), await mint()];
    await advance(55);
    expect((await open(early)).kind).toBe("opened");
    await advance(5);
    expect((await open(late)).kind).toBe("unusable_session_token");
  });

  test("a visit lives 30 minutes, then consent is refused", async () => {
    const client = await clientWithClock();
    const { advance, seller } = client;
    const [early, late] = [await openTestVisit(client, seller), await openTestVisit(client, seller)];
    await advance(30 * 60 - margin);
    expect((await readVisit(late)).kind).toBe("consent");
    expect((await authorizeVisit(early)).kind).toBe("authorized");
    await advance(margin);
    expect((await readVisit(late)).kind).toBe("expired");
    expect((await authorizeVisit(late)).kind).not.toBe("authorized");
  });

  test("a verification code lives 10 minutes", async () => {
    const client = await clientWithClock();
    const { advance, seller } = client;
    const untrusted = { loggedInSecondsAgo: 31 * day };
    const [early, late] = [
      await openTestVisit(client, seller, untrusted),
      await openTestVisit(client, seller, untrusted),
    ];
    const [lateCode = "", earlyCode = ""] = await readTestCodes(client, seller.phone);
    await advance(10 * 60 - margin);
    expect(await verifyCode(early, earlyCode)).toEqual({ kind: "verified" });
    await advance(margin);
    expect(await verifyCode(late, lateCode)).toEqual({ kind: "code_expired" });
  });

  test("a login at the partner is trusted for 30 days, judged when the token is redeemed", async () => {
    const client = await clientWithClock();
    const { advance, open, seller } = client;
    const loggedInSecondsAgo = limits.trustedAuthenticationDays * day - margin;
    const [early, late] = [
      await insertTestSessionToken(client, seller, { loggedInSecondsAgo }),
      await insertTestSessionToken(client, seller, { loggedInSecondsAgo }),
    ];
    expect(await stepOf(await open(early))).toBe("consent");
    await advance(margin + 1);
    expect(await stepOf(await open(late))).toBe("verification_code");
  });

  test("another client's clock affects no lifetime", async () => {
    const [client, otherClient] = [await clientWithClock(), await clientWithClock()];
    const { refreshToken } = await issueTestTokens(otherClient, otherClient.sellerId);
    const visit = await openTestVisit(otherClient, otherClient.seller);
    const code = await insertTestCode(otherClient, otherClient.businessUserId);
    await client.advance(300 * day);
    expect((await client.call("GET", "/v1/user", { bearer: client.businessToken })).status).toBe(401);
    expect((await otherClient.call("GET", "/v1/user", { bearer: otherClient.businessToken })).status).toBe(200);
    expect((await otherClient.refresh(refreshToken)).status).toBe(200);
    expect((await otherClient.exchange(code)).status).toBe(200);
    expect((await readVisit(visit)).kind).toBe("consent");
  });
});

async function clientWithClock() {
  const client = await createClientWithSeller();
  const { call, sellerId } = client;
  await call("PUT", "/sandbox/client", { body: { redirect_uris: [testRedirectUri], customers_url: fake.url } });
  const users = (await call("GET", "/sandbox/users")).json["users"] as { id: string; phone: string }[];
  const phone = users.find(({ id }) => id === sellerId)?.phone ?? "";
  const seller = { userId: sellerId, phone, email: "" };
  fake.answer((_request, response) => {
    const customer = { customer_id: "ada", first_name: "Ada", last_name: "Lovelace", phone };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...customer, lastAuthenticationTime: new Date().toISOString() }));
  });
  return {
    ...client,
    seller,
    advance: async (seconds: number) => {
      const answer = await call("POST", "/sandbox/clock/advance", { body: { seconds } });
      expect(answer.status).toBe(200);
    },
    mint: async () => {
      const body = { provider: client.provider, provider_data: { customer_id: "ada" }, user_id: sellerId };
      const { status, json } = await call("POST", "/v1/partner/identity/verification", { body });
      expect(status).toBe(200);
      return String(json["token"]);
    },
    open: (session_token: string) =>
      openVisit(authorizationQuery(client, seller, { session_token }), { traceId: "f".repeat(32) }),
    refresh: (refresh_token: string) =>
      call("POST", "/v1/oauth/token", { form: { grant_type: "refresh_token", refresh_token } }),
    exchange: (code: string) =>
      call("POST", "/v1/oauth/token", {
        form: {
          grant_type: "authorization_code",
          code,
          redirect_uri: testRedirectUri,
          code_verifier: testVerifier,
        },
      }),
  };
}

async function stepOf(arrival: Awaited<ReturnType<typeof openVisit>>): Promise<string> {
  if (arrival.kind !== "opened") return arrival.kind;
  return (await readVisit(arrival)).kind;
}
