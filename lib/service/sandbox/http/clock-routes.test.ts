import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { clockRecord, dueList } from "../../../contract/sandbox.ts";
import { deliveryList } from "../../../contract/sandbox-webhooks.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { authorizeVisit } from "../../operations/visits/finish-visit.ts";
import { database, servicePool } from "../../storage/database.ts";
import { deliveries, webhookEndpoints } from "../../storage/schema.ts";
import { createTestClient, testRedirectUri } from "../../testing/clients.ts";
import { createIntent, personDetails } from "../../testing/people.ts";
import { type ClientWithSeller, createClientWithSeller } from "../../testing/routines.ts";
import { insertTestCode, issueTestTokens } from "../../testing/tokens.ts";
import { insertTestSessionToken, openTestVisit } from "../../testing/visits.ts";

// Read by serviceConfig() on its first call: nothing falls due during a test.
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = "120000";

const day = 24 * 60 * 60;

describe("GET /sandbox/clock", () => {
  test("200: real time until it's moved", async () => {
    const { call } = await createTestClient();
    const answer = await call("GET", "/sandbox/clock");
    expect(answer.status).toBe(200);
    const { now, offset_seconds } = clockRecord.parse(answer.json);
    expect(offset_seconds).toBe(0);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5000);
  });

  test("401: without the client's secret; 405: with another method", async () => {
    const { call } = await createTestClient();
    expect((await call("GET", "/sandbox/clock", { authorization: null })).status).toBe(401);
    expect((await call("DELETE", "/sandbox/clock")).status).toBe(405);
  });
});

describe("POST /sandbox/clock/advance", () => {
  test("200: moves only this client's clock", async () => {
    const [client, otherClient] = [await createTestClient(), await createTestClient()];
    const first = await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 10 * day } });
    expect(first.status).toBe(200);
    expect(first.json["offset_seconds"]).toBe(10 * day);
    const second = await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
    expect(second.json["offset_seconds"]).toBe(10 * day + 1);
    const ahead = Date.parse(String(second.json["now"])) - Date.now() - (10 * day + 1) * 1000;
    expect(Math.abs(ahead)).toBeLessThan(5000);
    expect((await otherClient.call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(0);
  });

  test("200: twenty concurrent jumps all count", async () => {
    const { call } = await createTestClient();
    await Promise.all(
      Array.from({ length: 20 }, () => call("POST", "/sandbox/clock/advance", { body: { seconds: 7 } })),
    );
    expect((await call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(140);
  });

  test.each([0, -1, 1.5, 400 * day + 1, 1e9, "60", null, undefined])("400: %j seconds", async (seconds) => {
    const { call } = await createTestClient();
    const answer = await call("POST", "/sandbox/clock/advance", { body: { seconds } });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ reason: "validation_failed", errors: [{ field: "seconds" }] });
    expect((await call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(0);
  });

  test("400: more than 10 years ahead, without moving the clock", async () => {
    const { call } = await createTestClient();
    const advance = () => call("POST", "/sandbox/clock/advance", { body: { seconds: 400 * day } });
    for (let moved = 0; moved < 9; moved++) expect((await advance()).status).toBe(200);
    const answer = await advance();
    expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "seconds" }]]);
    expect((await call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(3600 * day);
  });

  test("400: an unknown field; 401: without credentials", async () => {
    const { call } = await createTestClient();
    const advance = (body: unknown, authorization?: null) =>
      call("POST", "/sandbox/clock/advance", { body, ...(authorization === null && { authorization }) });
    expect((await advance({ seconds: 1, minutes: 1 })).json["errors"]).toMatchObject([{ field: "minutes" }]);
    expect((await advance({ seconds: 1 }, null)).status).toBe(401);
  });
});

describe("GET /sandbox/clock/due", () => {
  test("200: each kind with its id and its time, soonest first, and nothing later", async () => {
    const { client, userIntentId, transferId, webhookId, visitId } = await clientFullOfTimes();
    expect(await dueWithin(client, 30 * day)).toEqual([
      ["delivery", webhookId, 0],
      ["screening", userIntentId, 60],
      ["identity_verification_token", client.sellerId, 60],
      ["transfer", transferId, 120],
      ["authorization_code", client.sellerId, 300],
      ["verification_code", visitId, 600],
      ["visit", visitId, 1800],
      ["access_token", client.businessUserId, 7200],
      ["access_token", client.sellerId, 7200],
      ["refresh_token", client.businessUserId, 10 * day],
      ["refresh_token", client.sellerId, 10 * day],
    ]);
    const withinAnHour = await dueWithin(client, 3600);
    expect(withinAnHour.map(([kind]) => kind)).not.toContain("access_token");
    expect(withinAnHour).toHaveLength(7);
  });

  test("200: overdue items stay until done, expired ones go", async () => {
    const { client, userIntentId, transferId, webhookId } = await clientFullOfTimes();
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 11 * day } });
    expect((await dueWithin(client, 0)).map(([kind, id]) => [kind, id])).toEqual([
      ["delivery", webhookId],
      ["screening", userIntentId],
      ["transfer", transferId],
    ]);
  });

  test("200: a jump brings items closer without changing their times", async () => {
    const { client } = await clientFullOfTimes();
    const read = async () => dueList.parse((await client.call("GET", "/sandbox/clock/due?seconds=3600")).json).due;
    const before = await read();
    await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 30 } });
    expect(await read()).toEqual(before);
    expect((await dueWithin(client, 100)).map(([kind]) => kind)).toContain("transfer");
    const [webhook] = deliveryList.parse((await client.call("GET", "/sandbox/webhooks")).json).webhooks;
    expect(webhook?.next_attempt_at).toBe(before.find(({ kind }) => kind === "delivery")?.due_at);
  });

  test("200: omits finished visits, invalid credentials, and webhooks that can't be sent", async () => {
    const { client, userIntentId, transferId, visitId } = await clientFullOfTimes();
    const business = { userId: client.businessUserId, phone: client.businessUserPhone, email: "business@example.com" };
    expect((await authorizeVisit(await openTestVisit(client, business))).kind).toBe("authorized");
    await issueTestTokens(client, client.sellerId);
    const kinds = (await dueWithin(client, 30 * day)).map(([kind, id]) => `${kind} ${id}`);
    expect(kinds.filter((kind) => kind === `access_token ${client.sellerId}`)).toHaveLength(1);
    for (const userId of [client.sellerId, client.businessUserId]) {
      expect((await client.call("POST", `/sandbox/users/${userId}/tokens/revoke`)).status).toBe(200);
    }
    await database()
      .update(webhookEndpoints)
      .set({ disabledAt: new Date() })
      .where(eq(webhookEndpoints.clientId, client.clientId));
    expect((await dueWithin(client, 30 * day)).map(([kind, id]) => [kind, id])).toEqual([
      ["screening", userIntentId],
      ["identity_verification_token", client.sellerId],
      ["transfer", transferId],
      ["verification_code", visitId],
      ["visit", visitId],
    ]);
  });

  test("200: no webhook while the client has no endpoint", async () => {
    const client = await createClientWithSeller();
    await client.call("POST", `/sandbox/users/${client.sellerId}/status`, { body: { status: "suspended" } });
    expect(await webhookIdOf(client.clientId)).not.toBe("");
    expect((await dueWithin(client, 60)).map(([kind]) => kind)).toEqual([]);
  });

  test("200: nothing from another client, and no secrets", async () => {
    const { client } = await clientFullOfTimes();
    const { call } = await createTestClient();
    expect((await call("GET", `/sandbox/clock/due?seconds=${30 * day}`)).json["due"]).toEqual([]);
    expect((await client.call("GET", `/sandbox/clock/due?seconds=${30 * day}`)).text).not.toMatch(/gw[a-z]_|whsec_/);
  });

  test.each(["", "?seconds=", "?seconds=-1", "?seconds=1.5", `?seconds=${400 * day + 1}`, "?seconds=1&seconds=2"])(
    "400: %j",
    async (query) => {
      const { call } = await createTestClient();
      const answer = await call("GET", `/sandbox/clock/due${query}`);
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "seconds" }]]);
    },
  );
});

test.each(["advance", "reset"])("%s doesn't move another client's times", async (move) => {
  const [{ client }, { client: other }] = [await clientFullOfTimes(), await clientFullOfTimes()];
  for (const { clientId } of [client, other]) {
    await servicePool().query(
      "update deliveries set next_attempt_real_at = now() + interval '1 hour' where client_id = $1",
      [clientId],
    );
    await servicePool().query(
      `update webhook_endpoints set failing_since = now() + interval '1 hour', probe_real_at = now() + interval '2 hours',
         previous_secret_expires_at = now() + interval '3 days' where client_id = $1`,
      [clientId],
    );
  }
  const [own, others] = [await timesOf(client), await timesOf(other)];
  const body = move === "advance" ? { body: { seconds: 1800 } } : {};
  expect((await client.call("POST", `/sandbox/clock/${move}`, body)).status).toBe(200);
  expect(await timesOf(client)).not.toEqual(own);
  expect(await timesOf(other)).toEqual(others);
});

/** Every stored time of a client that a clock can move, by table and row. */
async function timesOf({ clientId }: Pick<ClientWithSeller, "clientId">): Promise<unknown[]> {
  const columns = {
    screenings: ["due_real_at"],
    transfers: ["due_real_at"],
    deliveries: ["next_attempt_real_at"],
    webhook_endpoints: ["failing_since", "probe_real_at", "previous_secret_expires_at"],
    visits: ["expires_at"],
    identity_verification_tokens: ["expires_at"],
    authorizations: ["revoked_at"],
  };
  const selects = Object.entries(columns).map(
    ([table, names]) => `select '${table}' as name, json_build_array(${names.join()})::text as times
      from ${table} where client_id = $1`,
  );
  const text = `${selects.join(" union all ")} order by name, times`;
  return (await servicePool().query(text, [clientId])).rows;
}

/** A client with one due item of every kind, created at nearly the same time. */
async function clientFullOfTimes() {
  const client = await createClientWithSeller();
  await client.call("PUT", "/sandbox/client", { body: { redirect_uris: [testRedirectUri] } });
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9/webhooks" } });
  const { id: userIntentId } = await createIntent(client, personDetails({ phone: newPhone() }));
  const booking = { name: "Payment", amount: 7, source_id: client.operatingId, destination_id: client.walletId };
  const { json } = await client.call("POST", "/v1/routines/book", { bearer: client.businessToken, body: booking });
  await client.call("POST", `/sandbox/users/${client.sellerId}/status`, { body: { status: "suspended" } });
  const seller = { userId: client.sellerId, phone: "", email: "" };
  const { visitId } = await openTestVisit(client, seller, { loggedInSecondsAgo: 40 * day });
  await insertTestCode(client, client.sellerId);
  await insertTestSessionToken(client, seller);
  const webhookId = await webhookIdOf(client.clientId);
  return { client, userIntentId, transferId: String(json["transfer_id"]), webhookId, visitId };
}

/** Due items with seconds rounded up to tens, to allow for slow tests. */
async function dueWithin(
  { call }: Pick<ClientWithSeller, "call">,
  seconds: number,
): Promise<[string, string, number][]> {
  const { now, due } = dueList.parse((await call("GET", `/sandbox/clock/due?seconds=${seconds}`)).json);
  const secondsUntil = (at: string) => Math.ceil((Date.parse(at) - Date.parse(now)) / 10_000) * 10;
  return due.map(({ kind, id, due_at }) => [kind, id, secondsUntil(due_at) + 0]);
}

async function webhookIdOf(clientId: string): Promise<string> {
  const [delivery] = await database()
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.clientId, clientId));
  return delivery?.id ?? "";
}
