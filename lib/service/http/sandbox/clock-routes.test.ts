import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { clockRecord, dueList } from "../../../contract/sandbox-clock.ts";
import { database } from "../../storage/database.ts";
import { deliveries } from "../../storage/schema.ts";
import { insertTestSessionToken, openTestVisit } from "../../testing/authorization-pages.ts";
import { freshClient } from "../../testing/fresh-client.ts";
import { createFixture, insertTestCode, testRedirectUri } from "../../testing/money.ts";
import { createIntent, newPhone, personDetails } from "../../testing/people.ts";

// Read by serviceConfig() at its first call: nothing falls due by itself while a test looks.
process.env["SERVICE_SCREENING_DELAY_MS"] = "60000";
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = "120000";

const day = 24 * 60 * 60;

describe("GET /sandbox/clock", () => {
  test("200: real time, as long as nobody has moved it", async () => {
    const { call } = await freshClient();
    const answer = await call("GET", "/sandbox/clock");
    expect(answer.status).toBe(200);
    const { now, offset_seconds } = clockRecord.parse(answer.json);
    expect(offset_seconds).toBe(0);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5000);
  });

  test("401: without the client's secret; 405: with another method", async () => {
    const { call } = await freshClient();
    expect((await call("GET", "/sandbox/clock", { authorization: null })).status).toBe(401);
    expect((await call("DELETE", "/sandbox/clock")).status).toBe(405);
  });
});

describe("POST /sandbox/clock/advance", () => {
  test("200: this client's clock moves forward, and no other's", async () => {
    const [client, other] = [await freshClient(), await freshClient()];
    const first = await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 10 * day } });
    expect(first.status).toBe(200);
    expect(first.json["offset_seconds"]).toBe(10 * day);
    const second = await client.call("POST", "/sandbox/clock/advance", { body: { seconds: 1 } });
    expect(second.json["offset_seconds"]).toBe(10 * day + 1);
    const ahead = Date.parse(String(second.json["now"])) - Date.now() - (10 * day + 1) * 1000;
    expect(Math.abs(ahead)).toBeLessThan(5000);
    expect((await other.call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(0);
  });

  test("200: of twenty at once none is lost", async () => {
    const { call } = await freshClient();
    await Promise.all(
      Array.from({ length: 20 }, () => call("POST", "/sandbox/clock/advance", { body: { seconds: 7 } })),
    );
    expect((await call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(140);
  });

  test.each([0, -1, 1.5, 400 * day + 1, 1e9, "60", null, undefined])("400: %j seconds", async (seconds) => {
    const { call } = await freshClient();
    const answer = await call("POST", "/sandbox/clock/advance", { body: { seconds } });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ reason: "validation_failed", errors: [{ field: "seconds" }] });
    expect((await call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(0);
  });

  test("400: more than 10 years ahead, and the clock stays where it is", async () => {
    const { call } = await freshClient();
    const advance = () => call("POST", "/sandbox/clock/advance", { body: { seconds: 400 * day } });
    for (let moved = 0; moved < 9; moved++) expect((await advance()).status).toBe(200);
    const answer = await advance();
    expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "seconds" }]]);
    expect((await call("GET", "/sandbox/clock")).json["offset_seconds"]).toBe(3600 * day);
  });

  test("400: an unknown field; 401: a stranger", async () => {
    const { call } = await freshClient();
    const advance = (body: unknown, authorization?: null) =>
      call("POST", "/sandbox/clock/advance", { body, ...(authorization === null && { authorization }) });
    expect((await advance({ seconds: 1, minutes: 1 })).json["errors"]).toMatchObject([{ field: "minutes" }]);
    expect((await advance({ seconds: 1 }, null)).status).toBe(401);
  });
});

describe("GET /sandbox/clock/due", () => {
  test("200: each kind with its id and its time, soonest first, and nothing later", async () => {
    const { fixture, userIntentId, transferId, webhookId, visitId } = await fixtureFullOfTimes();
    expect(await dueWithin(fixture, 30 * day)).toEqual([
      ["delivery", webhookId, 0],
      ["screening", userIntentId, 60],
      ["identity_verification_token", fixture.sellerId, 60],
      ["transfer", transferId, 120],
      ["authorization_code", fixture.sellerId, 300],
      ["verification_code", visitId, 600],
      ["visit", visitId, 1800],
      ["access_token", fixture.businessUserId, 7200],
      ["access_token", fixture.sellerId, 7200],
      ["refresh_token", fixture.businessUserId, 10 * day],
      ["refresh_token", fixture.sellerId, 10 * day],
    ]);
    const withinAnHour = await dueWithin(fixture, 3600);
    expect(withinAnHour.map(([kind]) => kind)).not.toContain("access_token");
    expect(withinAnHour).toHaveLength(7);
  });

  test("200: what is overdue stays until it is done, what has expired goes", async () => {
    const { fixture, userIntentId, transferId, webhookId } = await fixtureFullOfTimes();
    await fixture.call("POST", "/sandbox/clock/advance", { body: { seconds: 11 * day } });
    expect((await dueWithin(fixture, 0)).map(([kind, id]) => [kind, id])).toEqual([
      ["delivery", webhookId],
      ["screening", userIntentId],
      ["transfer", transferId],
    ]);
  });

  test("200: nothing of another client, and no secret", async () => {
    const { fixture } = await fixtureFullOfTimes();
    const { call } = await freshClient();
    expect((await call("GET", `/sandbox/clock/due?seconds=${30 * day}`)).json["due"]).toEqual([]);
    expect((await fixture.call("GET", `/sandbox/clock/due?seconds=${30 * day}`)).text).not.toMatch(/gw[a-z]_|whsec_/);
  });

  test.each(["", "?seconds=", "?seconds=-1", "?seconds=1.5", `?seconds=${400 * day + 1}`, "?seconds=1&seconds=2"])(
    "400: %j",
    async (query) => {
      const { call } = await freshClient();
      const answer = await call("GET", `/sandbox/clock/due${query}`);
      expect([answer.status, answer.json["errors"]]).toMatchObject([400, [{ field: "seconds" }]]);
    },
  );
});

/** A fixture in which one thing of every kind will fall due, made within a moment. */
async function fixtureFullOfTimes() {
  const fixture = await createFixture();
  await fixture.call("PUT", "/sandbox/client", { body: { redirect_uris: [testRedirectUri] } });
  await fixture.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9/webhooks" } });
  const { id: userIntentId } = await createIntent(fixture, personDetails({ phone: newPhone() }));
  const booking = { name: "Payout", amount: 7, source_id: fixture.operatingId, destination_id: fixture.walletId };
  const { json } = await fixture.call("POST", "/v1/routines/book", { bearer: fixture.businessToken, body: booking });
  await fixture.call("POST", `/sandbox/users/${fixture.sellerId}/status`, { body: { status: "suspended" } });
  const seller = { userId: fixture.sellerId, phone: "", email: "" };
  const { visitId } = await openTestVisit(fixture.client, seller, { loggedInSecondsAgo: 40 * day });
  await insertTestCode(fixture.client, fixture.sellerId);
  await insertTestSessionToken(fixture.client, seller);
  const webhookId = await webhookIdOf(fixture.clientId);
  return { fixture, userIntentId, transferId: String(json["transfer_id"]), webhookId, visitId };
}

/** What is due: kind, id and in how many seconds, rounded up to tens because a test takes its time. */
async function dueWithin({ call }: Pick<Fixture, "call">, seconds: number): Promise<[string, string, number][]> {
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

type Fixture = Awaited<ReturnType<typeof createFixture>>;
