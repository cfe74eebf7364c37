import { and, eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dueList } from "../../contract/sandbox.ts";
import { deliveryList } from "../../contract/sandbox-webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import type { WakeLoop } from "../../kit/wake-loop.ts";
import { createDeliverySender } from "../operations/webhooks/send-deliveries.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { database, inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { type ClaimedDelivery, claimProbes } from "../storage/delivery-queue.ts";
import { deliveries } from "../storage/schema.ts";
import { advanceClock, createTestClient, createWebhookClient, type TestClient } from "../testing/clients.ts";
import { endpointOf, settled } from "../testing/deliveries.ts";
import { startWebhookSender } from "./start-workers.ts";

let fake: FakeServer;
// Two, as in two processes.
let senders: WakeLoop[];
beforeEach(async () => {
  fake = await startFakeServer();
  senders = [startWebhookSender(), startWebhookSender()];
});
afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.stop()));
  await fake.stop();
});

describe("while an endpoint is failing", () => {
  test("one delivery at a time probes it at growing intervals, and the others keep their attempts", async () => {
    const client = await failing(300);
    // The next probe is in an hour, so a slow machine makes none during the test.
    const postpone = async (change = "") => {
      const inAnHour = `update webhook_endpoints set probe_real_at = now() + interval '1 hour'${change} where client_id = $1`;
      await servicePool().query(inAnHour, [client.clientId]);
      await pollOnce();
    };
    await postpone(", failed_probes = 0");
    const attempted = fake.requests.length;
    expect(attempted).toBeLessThan(300);
    for (const [probes, seconds] of [10, 20, 40].entries()) {
      await advanceClock(client, 3500);
      await pollOnce();
      expect(fake.requests).toHaveLength(attempted + probes);
      const probedAtMs = Date.now();
      await advanceClock(client, 101);
      wake();
      await expect.poll(async () => (await endpointOf(client)).failedProbes).toBe(probes + 1);
      const pauseMs = ((await endpointOf(client)).probeRealAt?.getTime() ?? 0) - probedAtMs;
      expect(pauseMs).toBeGreaterThanOrEqual(seconds * 1000);
      expect(pauseMs).toBeLessThan(2 * seconds * 1000);
      await postpone();
      expect(fake.requests).toHaveLength(attempted + probes + 1);
    }
    // An untried one each time.
    expect(new Set(fake.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(attempted + 3);
  });

  test("a probe, also the first, waits as long as retry-after asks", async () => {
    const client = await failing(100, "3600");
    const pauseMs = async () => ((await endpointOf(client)).probeRealAt?.getTime() ?? 0) - Date.now();
    expect(Math.abs((await pauseMs()) - 3_600_000)).toBeLessThan(30_000);
    fake.answer((_request, response) => response.writeHead(503, { "retry-after": "7200" }).end());
    await advanceClock(client, 3601);
    wake();
    await expect.poll(async () => (await endpointOf(client)).failedProbes).toBe(1);
    expect(Math.abs((await pauseMs()) - 7_200_000)).toBeLessThan(30_000);
  });

  test("new webhooks wait too, and show the time of the next attempt", async () => {
    const client = await failing(100);
    await announce(client, 1);
    await expect.poll(() => countDue(client)).toBe(0);
    // Later than the next regular attempt.
    const inAnHour = "update webhook_endpoints set probe_real_at = now() + interval '1 hour' where client_id = $1";
    await servicePool().query(inAnHour, [client.clientId]);
    const { webhooks } = deliveryList.parse((await client.call("GET", "/sandbox/webhooks")).json);
    const probeAt = (await endpointOf(client)).probeRealAt?.toISOString();
    expect(webhooks[0]).toMatchObject({ next_attempt_at: probeAt, attempts: [] });
    expect(webhooks.some(({ attempts }) => attempts.length > 0)).toBe(true);
    expect(new Set(webhooks.map(({ next_attempt_at }) => next_attempt_at))).toEqual(new Set([probeAt]));
    const { due } = dueList.parse((await client.call("GET", "/sandbox/clock/due?seconds=7200")).json);
    expect(due.map(({ due_at }) => due_at)).toContain(probeAt);
  });

  test("other endpoints are unaffected", async () => {
    await failing(300);
    const otherClient = await listening("/other");
    fake.answer((_request, response) => response.writeHead(204).end());
    await announce(otherClient, 100);
    await settled(otherClient, "delivered");
  });

  test("a manually resent delivery is sent immediately", async () => {
    const client = await failing(100);
    fake.answer((_request, response) => response.writeHead(204).end());
    const { webhooks } = deliveryList.parse((await client.call("GET", "/sandbox/webhooks")).json);
    await client.call("POST", `/sandbox/webhooks/${webhooks[0]?.id}/redeliver`);
    await expect.poll(async () => (await endpointOf(client)).failures).toBe(0);
  });

  test("two processes never probe it concurrently", async () => {
    const client = await failing(300);
    await Promise.all(senders.map((sender) => sender.stop()));
    const probeNow = "update webhook_endpoints set probe_real_at = now() where client_id = $1";
    await servicePool().query(probeNow, [client.clientId]);
    const claim = { limit: 1000, leaseSeconds: 30 };
    const ofClient = (claimed: ClaimedDelivery[]) => claimed.filter(({ clientId }) => clientId === client.clientId);

    // The first has claimed but not committed; the second must not wait for it.
    await inTransaction(async (first) => {
      expect(ofClient(await claimProbes(first, claim))).toHaveLength(1);
      await inTransaction(async (second) => {
        await second.execute(sql`set local lock_timeout = '2s'`);
        expect(ofClient(await claimProbes(second, claim))).toEqual([]);
      });
    });
    expect(ofClient(await claimProbes(database(), claim))).toEqual([]);
  });

  test("a sender that is stopped during a round starts no probe after it", async () => {
    const client = await failing(300);
    await Promise.all(senders.map((sender) => sender.stop()));
    await servicePool().query("update webhook_endpoints set probe_real_at = now() where client_id = $1", [
      client.clientId,
    ]);
    const before = fake.requests.length;
    const stopping = new AbortController();
    chooseProviders({
      ...sandboxProviders,
      startDeliveries: async (claimed, send, start) => {
        stopping.abort();
        await sandboxProviders.startDeliveries(claimed, send, start);
      },
    });
    const sender = createDeliverySender({ onCapacity: () => {} });
    await sender.sendAllDue(stopping.signal);
    chooseProviders(sandboxProviders);
    await sender.drain({ graceMs: 2000 });
    expect(fake.requests).toHaveLength(before);
  });

  test("if a process dies during a probe, another process probes the endpoint", async () => {
    const client = await failing(100);
    fake.answer(() => {});
    const before = fake.requests.length;
    await advanceClock(client, 6);
    wake();
    await fake.waitFor(before + 1);
    // As if half a minute had passed since the process died.
    await servicePool().query("update deliveries set leased_until_real_at = now() where client_id = $1", [
      client.clientId,
    ]);
    await servicePool().query("update webhook_endpoints set probe_real_at = now() where client_id = $1", [
      client.clientId,
    ]);
    fake.answer((_request, response) => response.writeHead(204).end());
    wake();
    await expect.poll(async () => (await endpointOf(client)).probeRealAt).toBeNull();
  });
});

test("after a success everything parked is delivered, while the clock jumps and webhooks arrive", async () => {
  const client = await failing(600);
  fake.answer((_request, response) => response.writeHead(204).end());
  await advanceClock(client, 6);
  wake();
  await Promise.all([
    announce(client, 50),
    advanceClock(client, 60),
    announce(client, 50),
    advanceClock(client, 6 * 60),
  ]);
  wake();
  await settled(client, "delivered");
  expect(await database().$count(deliveries, eq(deliveries.clientId, client.clientId))).toBe(700);
  expect(await endpointOf(client)).toMatchObject({
    probeRealAt: null,
    failedDeliveries: 0,
    failures: 0,
    hasWaiting: false,
  });
});

test("a recovered receiver isn't flooded: it gets few webhooks at once, and more as it responds", async () => {
  const client = await failing(300);
  let open = 0;
  let refused = 0;
  fake.answer((_request, response) => {
    open++;
    response.on("close", () => {
      open--;
    });
    if (open > 10) {
      refused++;
      response.socket?.destroy();
    } else setTimeout(() => response.writeHead(204).end(), 20);
  });
  await advanceClock(client, 6);
  wake();
  await expect.poll(() => countDelivered(client)).toBeGreaterThan(100);
  await expect.poll(() => countDue(client)).toBe(0);
  expect(refused).toBeLessThan(100);
});

test("a flapping endpoint loses no webhook under concurrent writes", async () => {
  const client = await listening();
  for (let round = 0; round < 4; round++) {
    fake.answer((_request, response) => response.writeHead(round % 2 === 0 ? 500 : 204).end());
    await Promise.all([announce(client, 60), advanceClock(client, 400)]);
    wake();
    await Promise.all([
      announce(client, 20),
      client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } }),
    ]);
    await pollOnce();
  }
  await advanceClock(client, 24 * 3600);
  wake();
  await settled(client, "delivered");
});

test("a delivery that is always refused doesn't delay others", async () => {
  const client = await listening();
  const refused = await announce(client, 3);
  fake.answer(({ body }, response) => {
    response.writeHead(refused.some((id) => body.includes(id)) ? 500 : 204).end();
  });
  for (let time = 0; time < 6; time++) {
    await advanceClock(client, 24 * 3600 * 0.7);
    wake();
    await pollOnce();
  }
  expect(await endpointOf(client)).toMatchObject({ failedDeliveries: 3, probeRealAt: null });
  await announce(client, 1);
  await expect.poll(() => countDelivered(client)).toBe(1);
});

/** A client with a failing endpoint and this many parked webhooks, none in flight. */
async function failing(count: number, retryAfter = "0"): Promise<TestClient> {
  const client = await listening();
  fake.answer((_request, response) => response.writeHead(500, { "retry-after": retryAfter }).end());
  await announce(client, count);
  await expect.poll(async () => (await endpointOf(client)).probeRealAt).not.toBeNull();
  wake();
  await expect.poll(() => countDue(client)).toBe(0);
  return client;
}

const listening = (path = "") => createWebhookClient(`${fake.url}${path}`);

/** Creates this many webhooks, and returns their resources. */
async function announce({ clientId }: TestClient, count: number): Promise<string[]> {
  const resourceIds = Array.from({ length: count }, newId);
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), traceId: "ab".repeat(16) };
  await inTransaction((tx) =>
    insertDeliveries(
      tx,
      resourceIds.map((resourceId) => ({ ...event, resourceId })),
    ),
  );
  return resourceIds;
}

const wake = () => {
  for (const sender of senders) sender.wake();
};

/** Waits until the senders have polled: another client's webhook is delivered. */
async function pollOnce(): Promise<void> {
  const witness = await createTestClient();
  const receiver = await startFakeServer();
  await witness.call("PUT", "/sandbox/webhook_endpoint", { body: { url: receiver.url } });
  await announce(witness, 1);
  wake();
  await settled(witness, "delivered");
  await receiver.stop();
}

/** The number of a client's due webhooks and those in flight. */
function countDue({ clientId }: TestClient): Promise<number> {
  return database().$count(
    deliveries,
    and(eq(deliveries.clientId, clientId), eq(deliveries.status, "pending"), eq(deliveries.isDue, true)),
  );
}

function countDelivered({ clientId }: TestClient): Promise<number> {
  return database().$count(deliveries, and(eq(deliveries.clientId, clientId), eq(deliveries.status, "delivered")));
}
