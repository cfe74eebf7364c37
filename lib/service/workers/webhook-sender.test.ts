import { eq, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { webhookEvent } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { attemptDelivery } from "../operations/webhooks/send-deliveries.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { deliveries, webhookEndpoints } from "../storage/schema.ts";
import { advanceClock, createTestClient, createWebhookClient, type TestClient } from "../testing/clients.ts";
import {
  attemptsOf,
  claimDeliveriesOf,
  deliveryOf,
  endpointOf,
  expireLeases,
  rotateWebhookSecret,
  settled,
} from "../testing/deliveries.ts";
import { endQuarantines, quarantined } from "../testing/quarantine.ts";
import { startWebhookSender } from "./start-workers.ts";

const readLog = logToFile();
const notStopping = new AbortController().signal;
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

describe("a delivery", () => {
  test("arrives with its trace and a signature that the published verifier accepts", async () => {
    const client = await listening();
    const resourceId = await announce(client, { metadata: { a: "ñ" } });
    const [request] = await fake.waitFor(1);
    const verified = new Webhook(client.webhookSecret).verify(request?.body ?? "", request?.headers as never);
    expect(webhookEvent.parse(verified)).toEqual({
      webhook_type: "user_updated",
      webhook_id: request?.headers["webhook-id"],
      user_id: resourceId,
      resource_id: resourceId,
      metadata: { a: "ñ" },
    });
    expect(request?.headers["traceparent"]).toContain("ab".repeat(16));
    expect(request?.headers["content-type"]).toBe("application/json");
    await settled(client, "delivered");
    expect(fake.requests).toHaveLength(1);
  });

  test("contains real time, regardless of the client's clock", async () => {
    const client = await listening();
    await advanceClock(client, 30 * 24 * 3600);
    await announce(client);
    const [request] = await fake.waitFor(1);
    const ageSeconds = Date.now() / 1000 - Number(request?.headers["webhook-timestamp"]);
    expect(Math.abs(ageSeconds)).toBeLessThan(60);
  });

  test("a tampered body and another secret are refused by the published verifier", async () => {
    const client = await listening();
    await announce(client);
    const [request] = await fake.waitFor(1);
    const headers = request?.headers as never;
    expect(() => new Webhook(client.webhookSecret).verify(`${request?.body} `, headers)).toThrow();
    expect(() => new Webhook(`whsec_${"A".repeat(32)}`).verify(request?.body ?? "", headers)).toThrow();
  });

  test("leaves within 50 ms of the commit when the sender is idle", async () => {
    const client = await listening();
    const tookMs: number[] = [];
    // Not counting the first, which the sender may find as it starts. Once is enough, because other tests use the same
    // machine; a sender that only polls takes seconds each time.
    const quickestMs = () => Math.min(...tookMs.slice(1));
    for (let sent = 1; sent <= 20 && !(quickestMs() < 50); sent++) {
      const startedAt = performance.now();
      await announce(client);
      await fake.waitFor(sent);
      tookMs.push(performance.now() - startedAt);
      await settled(client, "delivered");
    }
    expect(quickestMs()).toBeLessThan(50);
  });

  test("has both signatures during a rotation, and either secret verifies it", async () => {
    const client = await listening();
    const previous = await rotateWebhookSecret(client, { hours: 24 });
    await announce(client);
    const [request] = await fake.waitFor(1);
    expect(String(request?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
    for (const secret of [client.webhookSecret, previous]) {
      expect(() => new Webhook(secret).verify(request?.body ?? "", request?.headers as never)).not.toThrow();
    }
    await advanceClock(client, 25 * 3600);
    await announce(client);
    const [, later] = await fake.waitFor(2);
    expect(String(later?.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });

  test("written before the sender started is sent when it starts", async () => {
    await sender.stop();
    const client = await listening();
    await announce(client);
    sender = startWebhookSender();
    expect(await fake.waitFor(1)).toHaveLength(1);
  });

  test("whose transaction is rolled back is never sent", async () => {
    const client = await listening();
    const rolledBack = inTransaction(async (tx) => {
      await insertDeliveries(tx, [eventOf(client)]);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    const resourceId = await announce(client);
    const [request] = await fake.waitFor(1);
    expect(request?.body).toContain(resourceId);
    await settled(client, "delivered");
    expect(fake.requests).toHaveLength(1);
  });

  test("of a process that died is sent once the lease ends", async () => {
    const client = await listening();
    fake.answer(() => {});
    const resourceId = await announce(client);
    await fake.waitFor(1);
    // An attempt may take 10 s.
    expect(await leaseSecondsOf(client)).toBeGreaterThan(15);
    await sender.stop();
    fake.answer((_request, response) => response.writeHead(204).end());
    sender = startWebhookSender();
    await expireLeases(client);
    sender.wake();
    const [first, second] = await fake.waitFor(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.body).toContain(resourceId);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });
});

describe("a failure", () => {
  test.each([
    [500, (response: Responding) => response.writeHead(500).end()],
    [404, (response: Responding) => response.writeHead(404).end()],
    [300, (response: Responding) => response.writeHead(300).end()],
    [307, (response: Responding) => response.writeHead(307, { location: `${fake.url}/elsewhere` }).end()],
    [null, (response: Responding) => response.destroy()],
  ])(
    "with status %s is retried 5 s later by the client's clock, with the same id and bytes",
    async (status, respond) => {
      const client = await listening();
      fake.answer((_request, response) => respond(response));
      await announce(client);
      await fake.waitFor(1);
      await attempted(client, 1);
      expect(fake.requests).toHaveLength(1);
      fake.answer((_request, response) => response.writeHead(200).end());
      await advanceClock(client, 6);
      sender.wake();
      const [first, second] = await fake.waitFor(2);
      expect(second?.body).toBe(first?.body);
      expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
      await settled(client, "delivered");
      expect(await deliveryOf(client)).toMatchObject({ attempts: 2 });
      expect(await attemptsOf(client)).toEqual([
        { attempt: 1, responseStatus: status, error: status === null ? "und_err_socket" : null },
        { attempt: 2, responseStatus: 200, error: null },
      ]);
      expect(await endpointOf(client)).toMatchObject({ failures: 0, failingSince: null });
    },
  );

  test("with retry-after waits for at least that long", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(503, { "retry-after": "120" }).end());
    await announce(client);
    await attempted(client, 1);
    await advanceClock(client, 60);
    const { waitSeconds } = await deliveryOf(client);
    expect(waitSeconds).toBeGreaterThan(30);
    expect(waitSeconds).toBeLessThanOrEqual(60);
  });

  test("410 disables the endpoint; pending webhooks wait until the address is changed", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(410).end());
    const resourceId = await announce(client);
    await attempted(client, 1);
    expect((await endpointOf(client)).disabledAt).not.toBeNull();
    await announce(client);
    await advanceClock(client, 3600);
    const otherClient = await listening();
    await announce(otherClient);
    // The other client's webhook arrived, so the sender has polled and sent nothing to the disabled endpoint.
    const requests = await fake.waitFor(2);
    expect(requests.filter(({ body }) => body.includes(resourceId))).toHaveLength(1);

    fake.answer((_request, response) => response.writeHead(204).end());
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: `${fake.url}/new` } });
    await settled(client, "delivered");
    expect(fake.requests.filter(({ path }) => path === "/new")).toHaveLength(2);
  });

  test("only 5 days of failures over at least 5 attempts disable the endpoint", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(500).end());
    await announce(client);
    await attempted(client, 1);
    // The fifth comes 4 days and 23 hours after the first.
    const hoursBefore = [
      [2, 0.01],
      [3, 0.2],
      [4, 1],
      [5, 117.7],
    ] as const;
    for (const [attempt, hours] of hoursBefore) {
      await advanceClock(client, hours * 3600);
      sender.wake();
      await attempted(client, attempt);
    }
    expect(await endpointOf(client)).toMatchObject({ failures: 5, disabledAt: null });
    await advanceClock(client, 6 * 3600);
    sender.wake();
    await attempted(client, 6);
    expect((await endpointOf(client)).disabledAt).not.toBeNull();
  });

  test("a success keeps the endpoint enabled, regardless of earlier failures", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(500).end());
    await announce(client);
    await attempted(client, 1);
    await database()
      .update(webhookEndpoints)
      .set({
        failures: 20,
        failingSince: sql`${webhookEndpoints.failingSince} - interval '6 days'`,
        failingSinceRealAt: sql`now() - interval '6 days'`,
      })
      .where(eq(webhookEndpoints.clientId, client.clientId));
    fake.answer((_request, response) => response.writeHead(204).end());
    await advanceClock(client, 6);
    sender.wake();
    await settled(client, "delivered");
    expect(await endpointOf(client)).toMatchObject({ disabledAt: null, failures: 0, failingSince: null });
  });

  test("four failures never disable the endpoint, however long they last; the fifth does", async () => {
    const client = await listening();
    fake.answer((_request, response) => response.writeHead(500).end());
    await announce(client);
    await attempted(client, 1);
    for (const attempt of [2, 3, 4]) {
      await advanceClock(client, 6 * 24 * 3600);
      sender.wake();
      await attempted(client, attempt);
    }
    expect(await endpointOf(client)).toMatchObject({ failures: 4, disabledAt: null });
    await advanceClock(client, 24 * 3600);
    sender.wake();
    await attempted(client, 5);
    expect((await endpointOf(client)).disabledAt).not.toBeNull();
  });

  test("the delivery fails for good after ten attempts", async () => {
    const client = await listening();
    let answers = 0;
    fake.answer((_request, response) => {
      answers++;
      response.writeHead(500).end();
    });
    await announce(client);
    for (let attempt = 1; attempt <= 10; attempt++) {
      await attempted(client, attempt);
      if (attempt < 10) await advanceClock(client, 27 * 3600);
      // Keeps the endpoint enabled, so that the schedule ends.
      await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
    }
    await settled(client, "failed");
    expect(answers).toBe(10);
  });
});

test("one slow endpoint doesn't delay others, however large its backlog", async () => {
  const [slow, quick] = [await listening("/slow"), await listening("/quick")];
  fake.answer((request, response) => {
    if (request.path === "/quick") response.writeHead(204).end();
  });
  // More than the sender's capacity.
  await inTransaction((tx) =>
    insertDeliveries(
      tx,
      Array.from({ length: 1200 }, () => eventOf(slow)),
    ),
  );
  await announce(quick);
  await settled(quick, "delivered");
  expect(fake.requests.filter(({ path }) => path === "/slow").length).toBeLessThanOrEqual(64);
});

test("a fast endpoint gets larger batches until it slows down, and even then doesn't delay others", async () => {
  // However slow this machine is, a response counts as fast.
  await sender.stop();
  sender = startWebhookSender({ quickMs: Number.POSITIVE_INFINITY });
  const [turning, otherClient] = [await listening("/turning"), await listening("/other")];
  let isQuick = true;
  let waiting = 0;
  fake.answer((request, response) => {
    if (isQuick || request.path === "/other") response.writeHead(204).end();
    else waiting++;
  });
  const announceMany = (count: number) =>
    inTransaction((tx) =>
      insertDeliveries(
        tx,
        Array.from({ length: count }, () => eventOf(turning)),
      ),
    );
  await announceMany(100);
  await settled(turning, "delivered");
  isQuick = false;
  await announceMany(1200);
  await expect.poll(() => waiting).toBeGreaterThan(64);
  await announce(otherClient);
  await settled(otherClient, "delivered");
  // Its capacity plus one batch.
  expect(waiting).toBeLessThanOrEqual(512);
});

describe("one endpoint whose secret cannot be decrypted", () => {
  test("delays only its own webhooks, is counted, and gets them once the secret is readable", async () => {
    const [broken, sound] = [await listening("/broken"), await listening("/sound")];
    const before = await secretOf(broken);
    await replaceSecret(broken, await secretOf(sound));
    const counted = await quarantined("webhook_endpoint");
    await inTransaction((tx) => insertDeliveries(tx, [eventOf(broken), eventOf(sound), eventOf(broken)]));
    await settled(sound, "delivered");
    await expect.poll(() => quarantined("webhook_endpoint")).toBe(counted + 1);
    expect(await deliveryOf(broken)).toMatchObject({ status: "pending", attempts: 0 });
    expect(await endpointOf(broken)).toMatchObject({ failures: 0, disabledAt: null });
    expect(fake.requests.map(({ path }) => path)).toEqual(["/sound"]);

    await replaceSecret(broken, before);
    await expireLeases(broken);
    await endQuarantines();
    sender.wake();
    await settled(broken, "delivered");
    expect(await quarantined("webhook_endpoint")).toBe(counted);
    const [, request] = fake.requests;
    expect(() =>
      new Webhook(broken.webhookSecret).verify(request?.body ?? "", request?.headers as never),
    ).not.toThrow();
  });

  async function secretOf(client: TestClient): Promise<string> {
    return (await endpointOf(client)).secretEncrypted;
  }

  async function replaceSecret({ clientId }: TestClient, secretEncrypted: string): Promise<void> {
    await database().update(webhookEndpoints).set({ secretEncrypted }).where(eq(webhookEndpoints.clientId, clientId));
  }
});

test("attempts that can't be recorded free their connections, and their webhooks are sent again once the leases end", async () => {
  const client = await listening();
  // The most that one endpoint gets at once.
  const most = 64;
  // Not counting webhooks of earlier tests, which may fall due again meanwhile.
  const trace = "cd".repeat(16);
  const events = Array.from({ length: most }, () => ({ ...eventOf(client), traceId: trace }));
  const unrecorded = () =>
    readLog().filter(({ msg, traceId }) => msg === "a webhook attempt was not recorded" && traceId === trace);
  await servicePool().query("alter table delivery_attempts rename to unavailable_attempts");
  try {
    await inTransaction((tx) => insertDeliveries(tx, events));
    await expect.poll(() => unrecorded().length).toBe(most);
  } finally {
    await servicePool().query("alter table unavailable_attempts rename to delivery_attempts");
  }
  expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
  await expireLeases(client);
  sender.wake();
  await settled(client, "delivered");
  expect(fake.requests).toHaveLength(2 * most);
});

test("an attempt that can't be recorded doesn't delay others, and its delivery is quarantined until one is recorded", async () => {
  await sender.stop();
  const client = await listening();
  const counted = await quarantined("delivery");
  await inTransaction((tx) =>
    insertDeliveries(
      tx,
      Array.from({ length: 5 }, () => eventOf(client)),
    ),
  );
  const claimed = await claimDeliveriesOf(client);
  expect(claimed).toHaveLength(5);
  const [, , strange] = claimed;
  const attempts = claimed.map((delivery) =>
    // PostgreSQL text can't hold NUL.
    attemptDelivery(
      delivery,
      async ({ id }) => ({ kind: "unanswered", error: id === strange?.id ? "\0" : "timeout" }),
      notStopping,
    ),
  );
  await Promise.all(attempts);
  expect(await attemptsOf(client)).toHaveLength(4);
  expect(await quarantined("delivery")).toBe(counted + 1);

  await expireLeases(client);
  await advanceClock(client, 60);
  const reclaimed = await claimDeliveriesOf(client);
  expect(reclaimed.map(({ id }) => id)).not.toContain(strange?.id);

  await endQuarantines();
  const [retried] = await claimDeliveriesOf(client);
  expect(retried?.id).toBe(strange?.id);
  if (retried) await attemptDelivery(retried, async () => ({ kind: "unanswered", error: "timeout" }), notStopping);
  expect(await quarantined("delivery")).toBe(counted);
});

test("a client without an endpoint gets its webhooks once it sets one", async () => {
  const client = await createTestClient();
  await announce(client);
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
  expect(await fake.waitFor(1)).toHaveLength(1);
});

type Responding = Parameters<Parameters<FakeServer["answer"]>[0]>[1];

const listening = (path = "") => createWebhookClient(`${fake.url}${path}`);

async function announce(client: TestClient, changes: { metadata?: Record<string, string> } = {}): Promise<string> {
  const event = { ...eventOf(client), ...changes };
  await inTransaction((tx) => insertDeliveries(tx, [event]));
  return event.resourceId;
}

function eventOf({ clientId }: TestClient) {
  const resourceId = newId();
  return { clientId, webhookType: "user_updated" as const, userId: resourceId, resourceId, traceId: "ab".repeat(16) };
}

async function leaseSecondsOf({ clientId }: TestClient): Promise<number> {
  const left = sql<number>`extract(epoch from ${deliveries.leasedUntilRealAt} - now())::float8`;
  const [row] = await database().select({ left }).from(deliveries).where(eq(deliveries.clientId, clientId));
  return row?.left ?? 0;
}

function attempted(client: TestClient, count: number): Promise<void> {
  return expect.poll(async () => (await deliveryOf(client)).attempts).toBe(count);
}
