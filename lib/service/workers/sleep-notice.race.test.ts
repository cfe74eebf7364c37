import { setTimeout as delay } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { listenTo, startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { serviceConfig } from "../config.ts";
import { channels, deleteSleepingWorker, markWorkerAwake, upsertSleepingWorker } from "../storage/channels.ts";
import { type Db, database, inTransaction, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { deliveries } from "../storage/schema.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { createIntent } from "../testing/people.ts";
import { sleepNotice, startWebhookSender } from "./start-workers.ts";

// Read by serviceConfig() on its first call.
process.env["SERVICE_SETTLEMENT_DELAY_MS"] = "7200000";

const hourMs = 3_600_000;
// Shorter than the 5 s poll, longer than a busy machine needs.
const soonMs = 4000;
const polling = { interval: 5 };

let fake: FakeServer;
let sender: WakeLoop;
let client: TestClient;
beforeEach(async () => {
  fake = await startFakeServer();
  client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
  sender = startWebhookSender();
});
afterEach(async () => {
  await sender.stop();
  await fake.stop();
});

test("a worker is notified only of work that is due before it wakes", async () => {
  const worker = { channel: channels.screenings, workerId: newId() };
  let notified = 0;
  const listener = await listenTo(
    { databaseUrl: serviceConfig().databaseUrl, channel: channels.screenings },
    {
      onConnect: () => {},
      onNotify: () => notified++,
      onLost: () => {},
    },
  );
  await createIntent(client);
  await upsertSleepingWorker(database(), { ...worker, sleepMs: hourMs / 2 });
  await createIntent(client);
  await upsertSleepingWorker(database(), { ...worker, sleepMs: 2 * hourMs });
  await createIntent(client);
  await expect.poll(() => notified, polling).toBe(1);
  await deleteSleepingWorker(database(), worker);
  await createIntent(client);
  // Arrives after all earlier notifications.
  await servicePool().query("select pg_notify($1, '')", [channels.screenings]);
  await expect.poll(() => notified, polling).toBe(2);
  await listener.stop();
});

test("an idle sender sleeps until its next poll", async () => {
  await expect.poll(() => count("where wakes_real_at > now() + interval '3 seconds'"), polling).toBe(1);
});

test("a worker that stops deletes its row", async () => {
  await expect.poll(countAsleep, polling).toBe(1);
  await sender.stop();
  expect(await countNotices()).toBe(0);
});

test("a notice doesn't wait for the disk", async () => {
  const worker = { channel: channels.deliveries, workerId: newId() };
  const waitsFor = (write: (tx: Db) => Promise<void>) =>
    inTransaction(async (tx) => {
      await tx.execute(sql`set local synchronous_commit = on`);
      await write(tx);
      const { rows } = await tx.execute(sql`select current_setting('synchronous_commit') <> 'off' as waits`);
      return rows[0]?.["waits"];
    });
  expect(await waitsFor((tx) => upsertSleepingWorker(tx, { ...worker, sleepMs: 1 }))).toBe(false);
  expect(await waitsFor((tx) => markWorkerAwake(tx, worker))).toBe(false);
});

// The writer saw no sleeping worker, so it doesn't notify; the worker falls asleep before the writer commits.
test("a worker that falls asleep before a writer commits still finds the row, however long the commit takes", async () => {
  await sender.stop();
  const { clientId } = client;
  let seen = 0;
  // It gets no notification at all.
  const loop = startWakeLoop({
    name: "test",
    sleep: sleepNotice(channels.deliveries),
    pollMs: hourMs,
    work: async () => {
      seen = await database().$count(deliveries, eq(deliveries.clientId, clientId));
      return undefined;
    },
  });
  await inTransaction(async (tx) => {
    await insertDeliveries(tx, [eventOf(client)]);
    loop.wake();
    await expect.poll(countAsleep, polling).toBe(1);
    await delay(300);
  });
  await expect.poll(() => seen, polling).toBe(1);
  await loop.stop();
});

test("a webhook leaves soon after its commit, at any moment of the loop", async () => {
  for (let count = 1; count <= 150; count++) {
    const startedAt = performance.now();
    await inTransaction(async (tx) => {
      await insertDeliveries(tx, [eventOf(client)]);
      await delay(count % 8);
    });
    await fake.waitFor(count);
    expect(performance.now() - startedAt).toBeLessThan(soonMs);
    await delay(count % 13);
  }
});

function eventOf({ clientId }: TestClient) {
  const id = newId();
  return { clientId, webhookType: "user_updated" as const, userId: id, resourceId: id, traceId: "ab".repeat(16) };
}

async function countAsleep(): Promise<number> {
  return count("where wakes_real_at > now()");
}

async function countNotices(): Promise<number> {
  return count("");
}

async function count(condition: string): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    `select count(*)::int as n from sleeping_workers ${condition}`,
  );
  return rows[0]?.n ?? 0;
}
