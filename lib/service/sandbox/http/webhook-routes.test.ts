import { and, eq, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type DeliveryRecord,
  deliveryList,
  deliveryRecord,
  rotatedWebhookSecret,
} from "../../../contract/sandbox-webhooks.ts";
import type { WebhookFaultKind } from "../../../contract/webhooks.ts";
import { newId } from "../../../kit/ids.ts";
import { type FakeServer, type ReceivedRequest, startFakeServer } from "../../../kit/testing/fake-server.ts";
import type { WakeLoop } from "../../../kit/wake-loop.ts";
import { database, inTransaction } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { deliveries } from "../../storage/schema.ts";
import { advanceClock, createTestClient, createWebhookClient, type TestClient } from "../../testing/clients.ts";
import { settled } from "../../testing/deliveries.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { startWebhookSender } from "../../workers/start-workers.ts";

let fake: FakeServer;
let sender: WakeLoop;
beforeEach(async () => {
  fake = await startFakeServer();
  sender = startWebhookSender();
});
afterEach(async () => {
  await sender.stop();
  await fake.stop();
});

describe("GET /sandbox/webhooks", () => {
  test("200: every delivery with every attempt, newest first, and the endpoint", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(503).end());
    const first = await announce(client);
    await attempted(client, 1);
    fake.answer((_request, response) => response.writeHead(204).end());
    await advanceClock(client, 6);
    sender.wake();
    await settled(client, "delivered");
    const second = await announce(client);
    await settled(client, "delivered");
    const { endpoint, fault, webhooks } = await webhooksOf(client);
    expect(endpoint).toEqual({
      url: fake.url,
      failing_since: null,
      disabled_at: null,
      previous_secret_expires_at: null,
    });
    expect(fault).toBeNull();
    expect(webhooks).toMatchObject([
      { resource_id: second, status: "delivered", attempts: [{ attempt: 1, response_status: 204, error: null }] },
      {
        resource_id: first,
        webhook_type: "user_updated",
        body: { webhook_type: "user_updated", resource_id: first },
        trace_id: "ab".repeat(16),
        next_attempt_at: null,
        attempts: [
          { attempt: 1, response_status: 503, error: null },
          { attempt: 2, response_status: 204, error: null },
        ],
      },
    ]);
    expect(webhooks[1]?.body.webhook_id).toBe(webhooks[1]?.id);
  });

  test("200: every time is by the client's clock", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(503).end());
    await advanceClock(client, 24 * 3600);
    await announce(client);
    await attempted(client, 1);
    const hours = (time: string | null | undefined) => Math.round((Date.parse(time ?? "") - Date.now()) / 3_600_000);
    const { endpoint, webhooks } = await webhooksOf(client);
    expect([hours(webhooks[0]?.created_at), hours(webhooks[0]?.next_attempt_at)]).toEqual([24, 24]);
    expect(hours(endpoint.failing_since)).toBe(24);
    fake.answer((_request, response) => response.writeHead(204).end());
    await advanceClock(client, 24 * 3600);
    sender.wake();
    await settled(client, "delivered");
    expect(hours((await webhooksOf(client)).webhooks[0]?.delivered_at)).toBe(48);
  });

  test("200: nothing from another client, and no secrets", async () => {
    const [client, otherClient] = [await listening(), await listening()];
    await announce(otherClient);
    await settled(otherClient, "delivered");
    const { text, json } = await client.call("GET", "/sandbox/webhooks");
    expect(deliveryList.parse(json).webhooks).toEqual([]);
    expect(text).not.toContain("whsec_");
  });

  test("401: without the client's secret", async () => {
    const answer = await (await createTestClient()).call("GET", "/sandbox/webhooks", { authorization: null });
    expect(answer.status).toBe(401);
  });

  test("200: each webhook is on exactly one page; 400: a limit over 100", async () => {
    const client = await createTestClient();
    const newestFirst: string[] = [];
    for (let count = 0; count < 3; count++) newestFirst.unshift(await announce(client));
    const read = async (query: string) =>
      deliveryList.parse((await client.call("GET", `/sandbox/webhooks${query}`)).json);
    const first = await read("?limit=2");
    const last = await read(`?limit=2&starting_after=${first.next}`);
    expect([first, last].map(({ webhooks }) => webhooks.map((webhook) => webhook.resource_id))).toEqual([
      newestFirst.slice(0, 2),
      newestFirst.slice(2),
    ]);
    expect(first.next).toBe(first.webhooks[1]?.id);
    expect(last.next).toBeNull();
    expect((await read("")).next).toBeNull();
    expect((await client.call("GET", "/sandbox/webhooks?limit=101")).status).toBe(400);
  });
});

describe("POST /sandbox/webhooks/{id}/redeliver", () => {
  test("200: a delivered webhook is redelivered with the same id and bytes", async () => {
    const client = await listening();
    await announce(client);
    await settled(client, "delivered");
    const [webhook] = (await webhooksOf(client)).webhooks;
    const answer = await redeliver(client, webhook?.id ?? "");
    expect(answer.status).toBe(200);
    expect(deliveryRecord.parse(answer.json)).toMatchObject({ id: webhook?.id, delivered_at: null });
    const [sent, resent] = await fake.waitFor(2);
    expect(resent?.body).toBe(sent?.body);
    expect(resent?.headers["webhook-id"]).toBe(sent?.headers["webhook-id"]);
    await settled(client, "delivered");
    expect((await webhooksOf(client)).webhooks[0]?.attempts).toHaveLength(2);
    expect(fake.requests).toHaveLength(2);
  });

  test("200: a webhook waiting for a retry is sent right away", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(500).end());
    await announce(client);
    await attempted(client, 1);
    fake.answer((_request, response) => response.writeHead(200).end());
    await redeliver(client, (await webhooksOf(client)).webhooks[0]?.id ?? "");
    await settled(client, "delivered");
  });

  test("200: without a working endpoint it waits until one is set", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(410).end());
    await announce(client);
    await attempted(client, 1);
    expect((await webhooksOf(client)).endpoint.disabled_at).not.toBeNull();
    const answer = await redeliver(client, (await webhooksOf(client)).webhooks[0]?.id ?? "");
    expect(answer.json).toMatchObject({ status: "pending", next_attempt_at: null });
    fake.answer((_request, response) => response.writeHead(200).end());
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: `${fake.url}/again` } });
    await settled(client, "delivered");
    expect((await webhooksOf(client)).endpoint).toMatchObject({ disabled_at: null, url: `${fake.url}/again` });
  });

  test("404: another client's webhook, an unknown webhook, and an invalid id", async () => {
    const [client, otherClient] = [await listening(), await listening()];
    await announce(otherClient);
    await settled(otherClient, "delivered");
    const [foreign] = (await webhooksOf(otherClient)).webhooks;
    for (const id of [foreign?.id ?? "", newId(), "none"]) expect((await redeliver(client, id)).status).toBe(404);
    expect(fake.requests).toHaveLength(1);
  });
});

describe("POST /sandbox/webhooks/recover", () => {
  test("200: sends what failed or waits since then once, and nothing that arrived, is older, or is another client's", async () => {
    const [client, otherClient] = [await listening(), await listening()];
    fake.answer((_request, response) => response.writeHead(500).end());
    for (const one of [client, otherClient]) {
      await announce(one);
      await attempted(one, 1);
    }
    // A later millisecond than the first webhook's id.
    const createdMs = Date.now();
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(createdMs);
    const since = new Date().toISOString();
    const failed = await announce(client);
    await attempted(client, 1);
    await setStatus(client, failed, "failed");
    const waiting = await announce(client);
    await attempted(client, 1);
    fake.answer((_request, response) => response.writeHead(200).end());
    const arrived = await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.status).toBe("delivered");
    await sender.stop();
    const seen = fake.requests.length;
    expect((await recover(client, since)).json).toEqual({ webhooks: 2, more_exist: false });
    expect((await recover(client, since)).json).toEqual({ webhooks: 0, more_exist: false });
    sender = startWebhookSender();
    await fake.waitFor(seen + 2);
    const delivered = async () =>
      (await webhooksOf(client)).webhooks.filter(({ status }) => status === "delivered").map((one) => one.resource_id);
    await expect.poll(delivered).toEqual([arrived, waiting, failed]);
    const resent = fake.requests.slice(seen).map(({ body }) => JSON.parse(body).resource_id);
    expect(resent.toSorted()).toEqual([failed, waiting].toSorted());
  });

  test("200: a webhook held back by a fault isn't sent early", async () => {
    const client = await faulty("delay");
    await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.fault).toBe("delay");
    expect((await recover(client, longAgo)).json).toEqual({ webhooks: 0, more_exist: false });
  });

  test("200: the oldest thousand first, the rest by another call; two calls at once send each once", async () => {
    const client = await createTestClient();
    await sender.stop();
    const events = Array.from({ length: 1001 }, () => eventOf(client));
    await inTransaction((tx) => insertDeliveries(tx, events));
    await database()
      .update(deliveries)
      .set({ status: "failed", attempts: 10, isDue: false, nextAttemptRealAt: null })
      .where(eq(deliveries.clientId, client.clientId));
    expect((await recover(client, longAgo)).json).toEqual({ webhooks: 1000, more_exist: true });
    const [newest] = (await webhooksOf(client)).webhooks;
    expect(newest).toMatchObject({ resource_id: events.at(-1)?.resourceId, status: "failed" });
    const answers = await Promise.all([recover(client, longAgo), recover(client, longAgo)]);
    expect(answers.map(({ json }) => json["webhooks"]).toSorted()).toEqual([0, 1]);
  });

  test.each([{}, { since: "yesterday" }, { since: 0 }, { since: "2026-01-31T09:30:00.000Z", until: "later" }])(
    "400: %j",
    async (body) => {
      expect((await (await createTestClient()).call("POST", "/sandbox/webhooks/recover", { body })).status).toBe(400);
    },
  );
});

describe("POST /sandbox/webhook_endpoint/rotate", () => {
  test("200: both secrets verify for 24 hours on the client's clock, then only the new one", async () => {
    const client = await listening();
    await advanceClock(client, 48 * 3600);
    const answer = await client.call("POST", "/sandbox/webhook_endpoint/rotate");
    expect(answer.status).toBe(200);
    const { webhook_secret } = rotatedWebhookSecret.parse(answer.json);
    expect(webhook_secret).not.toBe(client.webhookSecret);
    await announce(client);
    await fake.waitFor(1);
    await advanceClock(client, 24 * 3600 - 60);
    await announce(client);
    await fake.waitFor(2);
    await advanceClock(client, 61);
    await announce(client);
    const [first, nearEnd, after] = await fake.waitFor(3);
    const verified = [first, nearEnd, after].map((request) =>
      [webhook_secret, client.webhookSecret].map((secret) => isVerified(secret, request)),
    );
    expect(verified).toEqual([
      [true, true],
      [true, true],
      [true, false],
    ]);
  });

  test("200: another rotation within 24 hours ends the older secret, and says so", async () => {
    const client = await listening();
    const rotate = async () => {
      const { status, json } = await client.call("POST", "/sandbox/webhook_endpoint/rotate");
      expect(status).toBe(200);
      return rotatedWebhookSecret.parse(json);
    };
    const [first, second] = [await rotate(), await rotate()];
    await announce(client);
    const [request] = await fake.waitFor(1);
    const secrets = [second.webhook_secret, first.webhook_secret, client.webhookSecret];
    expect(secrets.map((secret) => isVerified(secret, request))).toEqual([true, true, false]);
    await advanceClock(client, 24 * 3600 + 1);
    const third = await rotate();
    expect([first, second, third].map((rotated) => rotated.older_secret_ended)).toEqual([false, true, false]);
  });

  test("200: of two concurrent rotations, the second says that it ended the secret before", async () => {
    const client = await listening();
    const endpoint = await holdRows("select from webhook_endpoints where client_id = $1 for update", [client.clientId]);
    const rotations = [1, 2].map(() => client.call("POST", "/sandbox/webhook_endpoint/rotate"));
    await endpoint.waiters(2);
    await endpoint.release();
    const ended = (await Promise.all(rotations)).map(({ json }) => json["older_secret_ended"]);
    expect(ended.toSorted()).toEqual([false, true]);
  });

  test("200: shown only once, and other clients' secrets stay the same", async () => {
    const [client, otherClient] = [await listening(), await listening("/other")];
    const { json } = await client.call("POST", "/sandbox/webhook_endpoint/rotate");
    expect((await client.call("GET", "/sandbox/webhooks")).text).not.toContain(json["webhook_secret"]);
    await announce(otherClient);
    const [request] = await fake.waitFor(1);
    expect(isVerified(otherClient.webhookSecret, request)).toBe(true);
  });
});

describe("PUT /sandbox/webhook_faults", () => {
  test("200: drop: the attempt never arrives, but the retry does", async () => {
    const client = await faulty("drop");
    const resourceId = await announce(client);
    await attempted(client, 1);
    expect(fake.requests).toHaveLength(0);
    await advanceClock(client, 6);
    sender.wake();
    expect((await fake.waitFor(1))[0]?.body).toContain(resourceId);
    await settled(client, "delivered");
    expect((await webhooksOf(client)).webhooks[0]).toMatchObject({
      fault: "drop",
      attempts: [{ response_status: null, error: "dropped_on_purpose" }, { response_status: 204 }],
    });
  });

  test("200: delay: sent 5 s later on the client's clock, without counting an attempt", async () => {
    const client = await faulty("delay");
    await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.fault).toBe("delay");
    const [delayed] = (await webhooksOf(client)).webhooks;
    expect(delayed).toMatchObject({ status: "pending", attempts: [] });
    expect(Date.parse(delayed?.next_attempt_at ?? "") - Date.parse(delayed?.created_at ?? "")).toBeGreaterThan(4900);
    expect(fake.requests).toHaveLength(0);
    await advanceClock(client, 6);
    sender.wake();
    await settled(client, "delivered");
    expect((await webhooksOf(client)).webhooks[0]?.attempts).toHaveLength(1);
  });

  test("200: duplicate: arrives twice with one id as one delivery", async () => {
    const client = await faulty("duplicate");
    await announce(client);
    const [first, two] = await fake.waitFor(2);
    expect(two?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(two?.body).toBe(first?.body);
    await settled(client, "delivered");
    expect((await webhooksOf(client)).webhooks).toMatchObject([{ attempts: [{ attempt: 1 }] }]);
  });

  test("200: reorder: swaps with the next one", async () => {
    const client = await faulty("reorder", 2);
    const first = await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.fault).toBe("reorder");
    const second = await announce(client);
    await fake.waitFor(2);
    await settled(client, "delivered");
    expect(resourcesSent()).toEqual([second, first]);
  });

  test("200: reorder: sent after 10 s on the client's clock if none follows", async () => {
    const client = await faulty("reorder");
    await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.fault).toBe("reorder");
    await advanceClock(client, 11);
    sender.wake();
    await settled(client, "delivered");
  });

  test("200: withhold: none arrives until the fault is removed, then each on its first attempt", async () => {
    const client = await faulty("withhold", 2);
    const first = await announce(client);
    const second = await announce(client);
    const faults = async () => (await webhooksOf(client)).webhooks.map(({ fault }) => fault);
    await expect.poll(faults).toEqual(["withhold", "withhold"]);
    await advanceClock(client, 60);
    const third = await announce(client);
    await fake.waitFor(1);
    expect(resourcesSent()).toEqual([third]);
    await client.call("DELETE", "/sandbox/webhook_faults");
    await fake.waitFor(3);
    expect(resourcesSent().toSorted()).toEqual([first, second, third].toSorted());
    await settled(client, "delivered");
    for (const { attempts } of (await webhooksOf(client)).webhooks) expect(attempts).toHaveLength(1);
  });

  test("200: withhold: each client's fault is counted and ended on its own", async () => {
    const [client, other] = [await faulty("withhold", 2), await faulty("withhold", 2)];
    for (const one of [client, other]) {
      await announce(one);
      await expect.poll(async () => (await webhooksOf(one)).webhooks[0]?.fault).toBe("withhold");
    }
    expect((await webhooksOf(client)).fault).toEqual({ kind: "withhold", times: 1 });
    await client.call("DELETE", "/sandbox/webhook_faults");
    await settled(client, "delivered");
    expect(await webhooksOf(other)).toMatchObject({
      fault: { kind: "withhold", times: 1 },
      webhooks: [{ status: "pending", fault: "withhold", attempts: [] }],
    });
    const [held] = (await webhooksOf(other)).webhooks;
    expect(Date.parse(held?.next_attempt_at ?? "") - Date.now()).toBeGreaterThan(55 * 60_000);
  });

  test("500: withhold: a fault whose webhooks can't be released stays, and can be removed later", async () => {
    const client = await faulty("withhold", 2);
    await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.fault).toBe("withhold");
    await database().execute(`
      create function refuse_release() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create trigger refuse_release before update on deliveries for each row
        when (old.client_id = '${client.clientId}' and new.is_due and not old.is_due) execute function refuse_release()`);
    expect((await client.call("DELETE", "/sandbox/webhook_faults")).status).toBe(500);
    expect((await setFault(client, "drop", 1)).status).toBe(500);
    expect((await webhooksOf(client)).fault).toEqual({ kind: "withhold", times: 1 });
    await database().execute("drop function refuse_release cascade");
    await client.call("DELETE", "/sandbox/webhook_faults");
    await settled(client, "delivered");
  });

  test("200: withhold: another fault in its place ends it", async () => {
    const client = await faulty("withhold");
    await announce(client);
    await expect.poll(async () => (await webhooksOf(client)).webhooks[0]?.fault).toBe("withhold");
    await setFault(client, "drop", 1);
    await settled(client, "delivered");
  });

  test("200: tamper: fails verification, and the retry is genuine", async () => {
    const client = await faulty("tamper");
    refusingForgeries(client);
    const resourceId = await announce(client);
    await attempted(client, 1);
    expect(fake.requests[0]?.body).not.toContain(`"resource_id":"${resourceId}"`);
    await advanceClock(client, 6);
    sender.wake();
    await settled(client, "delivered");
    expect(statusesOf((await webhooksOf(client)).webhooks[0])).toEqual([401, 200]);
  });

  test("200: stale: a valid signature with a timestamp 6 minutes old", async () => {
    const client = await faulty("stale");
    refusingForgeries(client);
    await announce(client);
    await attempted(client, 1);
    const age = Date.now() / 1000 - Number(fake.requests[0]?.headers["webhook-timestamp"]);
    expect(age).toBeGreaterThan(355);
    expect(age).toBeLessThan(420);
    await advanceClock(client, 6);
    sender.wake();
    await settled(client, "delivered");
    expect(statusesOf((await webhooksOf(client)).webhooks[0])).toEqual([401, 200]);
  });

  test("200: unknown_type: sends an extra webhook of an unknown type with its own id", async () => {
    const client = await faulty("unknown_type");
    const resourceId = await announce(client);
    const [strange, real] = await fake.waitFor(2);
    await settled(client, "delivered");
    expect(isVerified(client.webhookSecret, strange)).toBe(true);
    expect(JSON.parse(strange?.body ?? "")).toMatchObject({
      webhook_type: "sandbox_surprise",
      webhook_id: strange?.headers["webhook-id"],
    });
    expect(JSON.parse(real?.body ?? "")).toMatchObject({ webhook_type: "user_updated", resource_id: resourceId });
    expect(strange?.headers["webhook-id"]).not.toBe(real?.headers["webhook-id"]);
  });

  test("200: reformatted: the same JSON in other bytes, with a valid signature", async () => {
    const client = await faulty("reformatted");
    const resourceId = await announce(client);
    await settled(client, "delivered");
    const [request] = fake.requests;
    expect(isVerified(client.webhookSecret, request)).toBe(true);
    const event = JSON.parse(request?.body ?? "");
    expect(event).toMatchObject({ webhook_type: "user_updated", resource_id: resourceId });
    expect(isVerified(client.webhookSecret, request && { ...request, body: JSON.stringify(event) })).toBe(false);
    expect(request?.body).toContain("\\u0075ser_updated");
  });

  test("200: counted: affects exactly the next webhooks in order, never retries", async () => {
    const client = await faulty("drop", 3);
    await sender.stop();
    for (let count = 0; count < 5; count++) await announce(client);
    sender = startWebhookSender();
    await fake.waitFor(2);
    await expect
      .poll(async () => (await webhooksOf(client)).webhooks.every(({ attempts }) => attempts.length === 1))
      .toBe(true);
    const { fault, webhooks } = await webhooksOf(client);
    expect(fault).toBeNull();
    expect(webhooks.map((webhook) => webhook.fault)).toEqual([null, null, "drop", "drop", "drop"]);
  });

  test("200: a new fault replaces the old one; DELETE removes it; other clients aren't affected", async () => {
    const [client, otherClient] = [await faulty("drop", 5), await listening("/other")];
    const replaced = await setFault(client, "duplicate", 2);
    expect(replaced.json).toEqual({ fault: { kind: "duplicate", times: 2 } });
    expect((await webhooksOf(client)).fault).toEqual({ kind: "duplicate", times: 2 });
    await announce(otherClient);
    await settled(otherClient, "delivered");
    const cleared = await client.call("DELETE", "/sandbox/webhook_faults");
    expect([cleared.status, cleared.json]).toEqual([200, { fault: null }]);
    await announce(client);
    await settled(client, "delivered");
    expect(fake.requests).toHaveLength(2);
  });

  test("200: taking one client's fault doesn't delay the webhooks of others", async () => {
    const [client, otherClient] = [await faulty("drop"), await listening("/other")];
    await inTransaction(async (tx) => {
      await tx.execute(sql`select from webhook_faults where client_id = ${client.clientId} for update`);
      // Claimed together.
      await inTransaction((other) => insertDeliveries(other, [eventOf(client), eventOf(otherClient)]));
      await fake.waitFor(1);
    });
    expect(fake.requests.map(({ path }) => path)).toEqual(["/other"]);
    await attempted(client, 1);
  });

  test("200: a used-up fault doesn't slow the client's webhooks", async () => {
    const client = await faulty("duplicate");
    await announce(client);
    await settled(client, "delivered");
    await inTransaction(async (tx) => {
      await tx.execute(sql`lock table webhook_faults in exclusive mode`);
      await inTransaction((other) => insertDeliveries(other, [eventOf(client)]));
      await fake.waitFor(3);
    });
  });

  test.each([
    { kind: "explode", times: 1 },
    { kind: "drop" },
    { kind: "drop", times: 0 },
    { kind: "drop", times: 1001 },
    { kind: "drop", times: 1.5 },
    { kind: "drop", times: "1" },
    { kind: "drop", times: 1, status: 500 },
  ])("400: %j", async (body) => {
    expect((await (await createTestClient()).call("PUT", "/sandbox/webhook_faults", { body })).status).toBe(400);
  });
});

const listening = (path = "") => createWebhookClient(`${fake.url}${path}`);

async function faulty(kind: WebhookFaultKind, times = 1): Promise<TestClient> {
  const client = await listening();
  expect((await setFault(client, kind, times)).status).toBe(200);
  return client;
}

function setFault(client: TestClient, kind: WebhookFaultKind, times: number) {
  return client.call("PUT", "/sandbox/webhook_faults", { body: { kind, times } });
}

function redeliver(client: TestClient, id: string) {
  return client.call("POST", `/sandbox/webhooks/${id}/redeliver`);
}

const longAgo = "0001-01-31T09:30:00.000Z";

function recover(client: TestClient, since: string) {
  return client.call("POST", "/sandbox/webhooks/recover", { body: { since } });
}

async function setStatus({ clientId }: TestClient, resourceId: string, status: "failed"): Promise<void> {
  await database()
    .update(deliveries)
    .set({ status, nextAttemptRealAt: null })
    .where(and(eq(deliveries.clientId, clientId), eq(deliveries.resourceId, resourceId)));
}

function eventOf({ clientId }: TestClient) {
  const [userId, resourceId] = [newId(), newId()];
  return { clientId, webhookType: "user_updated" as const, userId, resourceId, traceId: "ab".repeat(16) };
}

async function announce(client: TestClient): Promise<string> {
  const event = eventOf(client);
  await inTransaction((tx) => insertDeliveries(tx, [event]));
  return event.resourceId;
}

async function webhooksOf(client: TestClient) {
  const { status, json } = await client.call("GET", "/sandbox/webhooks");
  expect(status).toBe(200);
  return deliveryList.parse(json);
}

function attempted(client: TestClient, count: number): Promise<void> {
  const read = async () => (await webhooksOf(client)).webhooks[0]?.attempts.length;
  return expect.poll(read).toBe(count);
}

/** A strict receiver: 401 for anything that fails verification. */
function refusingForgeries({ webhookSecret }: TestClient): void {
  fake.answer((request, response) => response.writeHead(isVerified(webhookSecret, request) ? 200 : 401).end());
}

function isVerified(secret: string, request: ReceivedRequest | undefined): boolean {
  try {
    new Webhook(secret).verify(request?.body ?? "", request?.headers as never);
    return true;
  } catch {
    return false;
  }
}

function resourcesSent(): string[] {
  return fake.requests.map(({ body }) => JSON.parse(body).resource_id);
}

function statusesOf(webhook: DeliveryRecord | undefined) {
  return webhook?.attempts.map(({ response_status }) => response_status);
}
