import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import { listenTo } from "../../kit/wake-loop.ts";
import { serviceConfig } from "../config.ts";
import { exchangeAuthorizationCode, refreshTokens } from "../operations/tokens/grant-tokens.ts";
import { openVisit } from "../operations/visits/open-visit.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { database, servicePool } from "../storage/database.ts";
import { deliveries, transfers } from "../storage/schema.ts";
import { testRedirectUri } from "../testing/clients.ts";
import { attemptsOf, deliveryOf, endpointOf } from "../testing/deliveries.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { createIntent, personDetails } from "../testing/people.ts";
import { createClientWithSeller } from "../testing/routines.ts";
import { insertTestCode, issueTestTokens, testVerifier } from "../testing/tokens.ts";
import { authorizationQuery, insertTestSessionToken, openTestVisit } from "../testing/visits.ts";
import { startServiceWorkers } from "../workers/start-workers.ts";

// Read by serviceConfig() on its first call: without clock jumps, nothing falls due during a test.
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = "3600000";

const day = 24 * 60 * 60;
let fake: FakeServer;
let workers: ReturnType<typeof startServiceWorkers>;
beforeAll(async () => {
  fake = await startFakeServer();
  fake.answer((_request, response) => response.writeHead(500).end());
  workers = startServiceWorkers();
});
afterAll(async () => {
  await workers.stop();
  await fake.stop();
});

describe("moving a clock", () => {
  test.each(["advance", "reset"])("%s wakes screening, settlement and the webhook sender", async (move) => {
    const { call } = await createClientWithSeller();
    const woken = new Set<string>();
    const listeners = await Promise.all(
      ["service_screenings", "service_transfers", "service_deliveries"].map((channel) =>
        listenTo(
          { databaseUrl: serviceConfig().databaseUrl, channel },
          {
            onConnect: () => {},
            onNotify: () => woken.add(channel),
            onLost: () => {},
          },
        ),
      ),
    );
    await call("POST", `/sandbox/clock/${move}`, move === "advance" ? { body: { seconds: 1 } } : {});
    await expect.poll(() => woken.size).toBe(3);
    await Promise.all(listeners.map((listener) => listener.stop()));
  });

  test("runs due work right away", async () => {
    const client = await clientWithPendingThings();
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 3600 } });
    await client.becomes({ intent: "approved", transfer: "processed" });
    await expect.poll(() => attemptsOf(client)).not.toEqual([]);
  });

  // Missed attempts aren't made up: a receiver that was down gets one attempt, not ten.
  test("makes one attempt at each overdue delivery, however far it jumps", async () => {
    const client = await clientWithFailedDelivery();
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 4 * day } });
    await expect.poll(async () => (await deliveryOf(client)).attempts).toBe(2);
    const { waitSeconds, attempts } = await deliveryOf(client);
    expect(attempts).toBe(2);
    expect(waitSeconds).toBeGreaterThan(5 * 60 - 20);
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 6 * 60 } });
    await expect.poll(async () => (await deliveryOf(client)).attempts).toBe(3);
    expect(await attemptsOf(client)).toHaveLength(3);
  });
});

describe("POST /sandbox/clock/reset", () => {
  test("200: the clock shows real time again, and a second reset changes nothing", async () => {
    const { call } = await createClientWithSeller();
    await call("POST", "/sandbox/clock/advance", { body: { seconds: 40 * day } });
    for (let time = 0; time < 2; time++) {
      const answer = await call("POST", "/sandbox/clock/reset");
      expect([answer.status, answer.json["offset_seconds"]]).toEqual([200, 0]);
      expect(Math.abs(Date.parse(String(answer.json["now"])) - Date.now())).toBeLessThan(5000);
    }
    expect((await call("POST", "/sandbox/clock/reset", { authorization: null })).status).toBe(401);
  });

  test("200: tokens, codes, visits and verification tokens end, those of other clients live", async () => {
    const [firstClient, secondClient] = [await clientWithGrants(), await clientWithGrants()];
    expect(await firstClient.use()).toEqual(good);
    const [ended, living] = [await firstClient.grants(), await secondClient.grants()];
    await firstClient.call("POST", "/sandbox/clock/reset");
    expect(await ended.use()).toEqual({
      bearer: [401, "invalid_token"],
      refresh: "invalid_grant",
      exchange: "invalid_grant",
      open: "unusable_session_token",
      visit: "expired",
    });
    expect(await living.use()).toEqual(good);
    // Anything after the reset works normally.
    expect(await firstClient.use()).toEqual(good);
  });

  test("200: scheduled work runs by real time", async () => {
    const client = await clientWithPendingThings({ daysAhead: 30 });
    await client.call("POST", "/sandbox/clock/reset");
    await client.becomes({ intent: "approved", transfer: "processed" });
    await expect.poll(() => attemptsOf(client)).not.toEqual([]);
    expect((await client.call("GET", "/sandbox/ledger")).json).toMatchObject({ sum: 0, holds: [] });
  });

  test("200: a failed delivery is retried, and its endpoint's failure is dated now", async () => {
    const client = await clientWithFailedDelivery({ daysAhead: 30 });
    await client.call("POST", "/sandbox/clock/reset");
    await expect.poll(async () => (await deliveryOf(client)).attempts).toBe(2);
    const { waitSeconds } = await deliveryOf(client);
    expect(waitSeconds).toBeLessThan(6 * 60);
    expect((await endpointOf(client)).failingSince?.getTime()).toBeLessThan(Date.now() + 5000);
  });

  test("200: a working endpoint keeps working without a probe", async () => {
    const client = await createClientWithSeller();
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
    const before = await endpointOf(client);
    expect(before).toMatchObject({
      url: fake.url,
      failingSince: null,
      probeRealAt: null,
      previousSecretExpiresAt: null,
    });
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: day } });
    await client.call("POST", "/sandbox/clock/reset");
    expect(await endpointOf(client)).toEqual(before);
  });

  test("200: a webhook secret replaced by the old clock is valid for at most another day", async () => {
    const client = await createClientWithSeller();
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 30 * day } });
    await client.call("POST", "/sandbox/webhook_endpoint/rotate");
    await client.call("POST", "/sandbox/clock/reset");
    const endsAtMs = (await endpointOf(client)).previousSecretExpiresAt?.getTime() ?? 0;
    expect(endsAtMs).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(endsAtMs).toBeLessThan(Date.now() + 24 * 3_600_000 + 5000);
  });

  // Issuing and revoking are mutually exclusive, so no token outlives its authorization.
  test("ends tokens of a concurrent exchange too", async () => {
    const client = await createClientWithSeller();
    const { clientId, sellerId, call } = client;
    const code = await insertTestCode(client, sellerId);
    const held = await holdRows("select from access_tokens where user_id = $1 and superseded_at is null for update", [
      sellerId,
    ]);
    const proof = { redirectUri: testRedirectUri, codeVerifier: testVerifier };
    const exchange = exchangeAuthorizationCode({ code, ...proof }, { clientId });
    await held.waiters(1);
    // It doesn't wait: tokens issued from an ended authorization are dead from the start.
    expect((await call("POST", "/sandbox/clock/reset")).status).toBe(200);
    await held.release();
    const grant = await exchange;
    if (grant.kind !== "granted") throw new Error(grant.kind);
    expect((await call("GET", "/v1/user", { bearer: grant.accessToken })).status).toBe(401);
    expect((await refreshTokens(grant.refreshToken, { clientId })).kind).toBe("invalid_grant");
  });

  // Nothing issued during a reset keeps a future date.
  test("leaves nothing dated by the old clock, even with concurrent issuance", async () => {
    const client = await clientWithGrants();
    for (let round = 0; round < 5; round++) {
      await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 100 * day } });
      const pairs = await Promise.all(
        [client.sellerId, client.businessUserId].map((userId) => issueTestTokens(client, userId)),
      );
      const codes = await Promise.all(Array.from({ length: 5 }, () => insertTestCode(client, client.sellerId)));
      const sessionTokens = await Promise.all(
        Array.from({ length: 5 }, () => insertTestSessionToken(client, client.seller)),
      );
      await Promise.all([
        ...pairs.flatMap(({ refreshToken }) =>
          Array.from({ length: 10 }, () => refreshTokens(refreshToken, { clientId: client.clientId })),
        ),
        ...codes.map((code) =>
          exchangeAuthorizationCode(
            { code, redirectUri: testRedirectUri, codeVerifier: testVerifier },
            { clientId: client.clientId },
          ),
        ),
        ...sessionTokens.map((session_token) =>
          openVisit(authorizationQuery(client, client.seller, { session_token }), { traceId: "f".repeat(32) }),
        ),
        ...Array.from({ length: 5 }, () => createIntent(client)),
        client.call("POST", "/sandbox/clock/reset"),
      ]);
      expect(await countDatedAhead(client.clientId)).toBe(0);
    }
  });
});

const good = { bearer: [200, undefined], refresh: "granted", exchange: "granted", open: "opened", visit: "consent" };

async function clientWithGrants() {
  const client = await createClientWithSeller();
  const { call, clientId, sellerId, businessUserId } = client;
  await call("PUT", "/sandbox/client", { body: { redirect_uris: [testRedirectUri] } });
  const seller = { userId: sellerId, phone: "", email: "" };

  async function grants() {
    const business = await issueTestTokens(client, businessUserId);
    const { refreshToken } = await issueTestTokens(client, sellerId);
    const code = await insertTestCode(client, sellerId);
    const session_token = await insertTestSessionToken(client, seller);
    const visit = await openTestVisit(client, seller);
    return { use: () => use({ bearer: business.accessToken, refreshToken, code, session_token, visit }) };
  }

  async function use({ bearer, refreshToken, code, session_token, visit }: Grants) {
    const read = await call("GET", "/v1/user", { bearer });
    const proof = { redirectUri: testRedirectUri, codeVerifier: testVerifier };
    const query = authorizationQuery(client, seller, { session_token });
    return {
      bearer: [read.status, read.json["reason"]],
      refresh: (await refreshTokens(refreshToken, { clientId })).kind,
      exchange: (await exchangeAuthorizationCode({ code, ...proof }, { clientId })).kind,
      open: (await openVisit(query, { traceId: "f".repeat(32) })).kind,
      visit: (await readVisit(visit)).kind,
    };
  }
  return { ...client, seller, grants, use: async () => (await grants()).use() };
}

type Grants = {
  bearer: string;
  refreshToken: string;
  code: string;
  session_token: string;
  visit: Awaited<ReturnType<typeof openTestVisit>>;
};

/** A pending intent and transfer, both due within an hour, with a webhook endpoint. */
async function clientWithPendingThings({ daysAhead = 0 } = {}) {
  const client = await createClientWithSeller();
  const { call } = client;
  await call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
  if (daysAhead > 0) await call("POST", "/sandbox/clock/advance", { body: { seconds: daysAhead * day } });
  const { accessToken: bearer } = await issueTestTokens(client, client.businessUserId);
  const { id } = await createIntent(client, personDetails({ phone: newPhone() }));
  const body = { name: "Payment", amount: 7, source_id: client.operatingId, destination_id: client.walletId };
  const { json } = await call("POST", "/v1/routines/book", { bearer, body });
  return {
    ...client,
    becomes: async ({ intent, transfer }: { intent: string; transfer: string }) => {
      await expect.poll(async () => (await call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe(intent);
      const read = () =>
        database()
          .select()
          .from(transfers)
          .where(eq(transfers.id, String(json["transfer_id"])));
      await expect.poll(async () => (await read())[0]?.status).toBe(transfer);
    },
  };
}

async function clientWithFailedDelivery({ daysAhead = 0 } = {}) {
  const client = await createClientWithSeller();
  const { call, sellerId } = client;
  await call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
  if (daysAhead > 0) await call("POST", "/sandbox/clock/advance", { body: { seconds: daysAhead * day } });
  await call("POST", `/sandbox/users/${sellerId}/status`, { body: { status: "suspended" } });
  await expect.poll(async () => (await deliveryOf(client)).attempts).toBe(1);
  expect(await database().$count(deliveries, eq(deliveries.clientId, client.clientId))).toBe(1);
  return client;
}

/** Counts live items that expire later than real time allows. */
async function countDatedAhead(clientId: string): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    `select count(*)::int as n from (
       select from access_tokens t join authorizations z on z.id = t.authorization_id
       where t.client_id = $1 and z.revoked_at is null and t.expires_at > now() + interval '2 hours'
       union all
       select from refresh_tokens t join authorizations z on z.id = t.authorization_id
       where t.client_id = $1 and z.revoked_at is null and t.expires_at > now() + interval '10 days'
       union all
       select from authorization_codes c join authorizations z on z.id = c.authorization_id
       where c.client_id = $1 and z.revoked_at is null and c.redeemed_at is null
         and c.expires_at > now() + interval '5 minutes'
       union all
       select from visits where client_id = $1 and finished_at is null and expires_at > now() + interval '30 minutes'
       union all
       select from screenings where client_id = $1 and due_real_at > now() + interval '1 hour'
     ) ahead`,
    [clientId],
  );
  return rows[0]?.n ?? 0;
}
