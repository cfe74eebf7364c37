import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { verifyCode } from "../operations/visits/verify-code.ts";
import { recordAttempts } from "../operations/webhooks/send-deliveries.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { type AttemptResult, insertDeliveries } from "../storage/deliveries.ts";
import { deliveries, screenings } from "../storage/schema.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { holdRows, listUnlocked } from "../testing/hold-rows.ts";
import { insertTestIntent } from "../testing/people.ts";
import { openTestVisit, readTestCodes } from "../testing/visits.ts";
import { resetClock } from "./clock.ts";

test("a clock reset waits for a running verification without blocking it", async () => {
  const client = await createTestClient();
  const { visit, verificationCode, userIntentId } = await secondVisit(client);
  const held = await holdRows("select from user_intents where id = $1 for update", [userIntentId]);
  const verifying = verifyCode(visit, verificationCode);
  await held.waiters(1);
  const resetting = resetClock(client.clientId);
  await held.waiters(2);
  expect(await listUnlocked("screenings", [userIntentId], "user_intent_id")).toEqual([userIntentId]);
  await held.release();
  expect(await verifying).toEqual({ kind: "verified" });
  expect((await resetting).offsetSeconds).toBe(0);
});

test("recording the attempt that disables an endpoint doesn't wait for its other deliveries", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9" } });
  const [first = "", second = ""] = await announceTwice(client.clientId);
  const claim =
    "update deliveries set leased_until_real_at = now() + interval '30 s' where id = $1 returning leased_until_real_at::text as until";
  const { rows } = await servicePool().query<{ until: string }>(claim, [first]);
  const held = await holdRows("select from deliveries where id = $1 for update", [second]);
  await recordAttempts([{ ...refused(client.clientId, first), leasedUntil: rows[0]?.until ?? "" }]);
  await held.release();
  const { json } = await client.call("GET", "/sandbox/webhooks");
  expect(json["endpoint"]).toMatchObject({ disabled_at: expect.any(String) });
});

/** An unscreened intent for an existing user's phone, with a pending code. */
async function secondVisit(client: TestClient) {
  const first = await insertTestIntent(client);
  await openTestVisit(client, first);
  const { phone, email } = first;
  const { userIntentId = "" } = await insertTestIntent(client, { phone, email, status: "pending" });
  await database()
    .insert(screenings)
    .values({ userIntentId, clientId: client.clientId, dueRealAt: sql`now() + interval '1 hour'` });
  const visit = await openTestVisit(client, { userIntentId, phone, email }, { loggedInSecondsAgo: 40 * 86_400 });
  const [verificationCode = ""] = await readTestCodes(client, phone);
  return { visit, verificationCode, userIntentId };
}

async function announceTwice(clientId: string): Promise<string[]> {
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId(), traceId: "" };
  await inTransaction((tx) => insertDeliveries(tx, [event, event]));
  const rows = await database()
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.clientId, clientId))
    .orderBy(deliveries.id);
  return rows.map(({ id }) => id);
}

function refused(clientId: string, deliveryId: string): Omit<AttemptResult, "leasedUntil"> {
  const sent = {
    url: "http://127.0.0.1:9",
    attempt: 1,
    sentAt: new Date(),
    durationMs: 1,
    responseStatus: 410,
    error: null,
  };
  return {
    clientId,
    deliveryId,
    ...sent,
    status: "pending",
    delayMs: 5000,
    nextProbeMs: 5000,
    isProbe: false,
    isGone: true,
  };
}
