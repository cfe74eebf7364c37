import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { createTestClient, type TestClient } from "../testing/clients.ts";
import { claimDeliveriesOf } from "../testing/deliveries.ts";
import { channels } from "./channels.ts";
import { type Db, database, inTransaction, servicePool } from "./database.ts";
import { insertDeliveries, makeDue } from "./deliveries.ts";
import { claimDeliveries, claimProbes, makeDeliveriesDue, parkDeliveries, releaseDelivery } from "./delivery-queue.ts";
import { quarantineRows, releaseFromQuarantine } from "./quarantine.ts";
import { deliveries } from "./schema.ts";
import { updateWebhookUrl } from "./webhook-endpoints.ts";

const url = "http://127.0.0.1:9";
let client: TestClient;
beforeEach(async () => {
  client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url } });
});
// No sender runs here, so leftover webhooks would be due in the next test.
afterEach(() => servicePool().query("delete from deliveries"));

async function announce(count: number): Promise<string[]> {
  const { clientId } = client;
  const event = () => ({ clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() });
  const written = Array.from({ length: count }, () => ({ ...event(), traceId: "ab".repeat(16) }));
  await insertDeliveries(database(), written);
  const rows = await database()
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.clientId, clientId))
    .orderBy(deliveries.id);
  return rows.map(({ id }) => id);
}

const changeEndpoint = (change: string) =>
  servicePool().query(`update webhook_endpoints set ${change} where client_id = $1`, [client.clientId]);

const claim = {
  after: "",
  batchSize: 512,
  perClientMax: 6,
  quickClientIds: [],
  limitedClients: new Map(),
  perQuickClientMax: 6,
  leaseSeconds: 30,
  busyClientIds: [],
};

test("two processes that claim concurrently get different webhooks without waiting", async () => {
  await announce(10);
  const claimIds = async (db: Db) => (await claimDeliveries(db, claim)).deliveries.map(({ id }) => id);
  const [first, second] = await inTransaction(async (tx) => {
    const claimed = await claimIds(tx);
    return [claimed, await claimIds(database())] as const;
  });
  expect([first.length, second.length]).toEqual([6, 4]);
  expect(new Set([...first, ...second]).size).toBe(10);
  expect(await claimIds(database())).toEqual([]);
});

test("a claim doesn't wait for the disk", async () => {
  await announce(1);
  const waits = await inTransaction(async (tx) => {
    await tx.execute(sql`set local synchronous_commit = on`);
    await claimDeliveries(tx, claim);
    const { rows } = await tx.execute(sql`select current_setting('synchronous_commit') <> 'off' as waits`);
    return rows[0]?.["waits"];
  });
  expect(waits).toBe(false);
});

test("claims the most overdue webhooks of a backlog larger than a batch", async () => {
  const ids = await announce(70);
  const longest = ids.slice(-3);
  const earlier = "update deliveries set next_attempt_real_at = now() - interval '1 minute' where id = any ($1)";
  await servicePool().query(earlier, [longest]);
  const claimed = (await claimDeliveriesOf(client)).map(({ id }) => id);
  expect(claimed).toHaveLength(64);
  expect(claimed).toEqual(expect.arrayContaining(longest));
});

test("a disabled endpoint's webhooks stay parked; a recovered one's are due, oldest untried first", async () => {
  const ids = await announce(3);
  await changeEndpoint("disabled_at = now()");
  expect(await parkDeliveries(database(), { clientIds: [client.clientId], perClientMax: 128 })).toBe(3);
  const step = { fallenDueMax: 1000, endpointsMax: 256, perClientMax: 1 };
  expect(await makeDeliveriesDue(servicePool(), step)).toEqual({ due: 0, nextMs: undefined });
  await servicePool().query("update deliveries set attempts = 1 where id = $1", [ids[0]]);
  await changeEndpoint("disabled_at = null");
  expect(await makeDeliveriesDue(servicePool(), step)).toMatchObject({ due: 1 });
  expect((await claimDeliveriesOf(client)).map(({ id }) => id)).toEqual([ids[1]]);
});

test("a failing endpoint that couldn't be dialed isn't probed before its retry", async () => {
  await announce(1);
  await changeEndpoint("probe_real_at = now()");
  await parkDeliveries(database(), { clientIds: [client.clientId], perClientMax: 128 });
  const probe = async () => (await claimProbes(database(), { limit: 256, leaseSeconds: 30 })).length;
  await quarantineRows("webhook_endpoint", [{ id: client.clientId, reason: "cut" }]);
  expect(await probe()).toBe(0);
  // Otherwise the sender would look for it again and again.
  const step = { fallenDueMax: 1000, endpointsMax: 256, perClientMax: 1 };
  expect(await makeDeliveriesDue(servicePool(), step)).toEqual({ due: 0, nextMs: undefined });
  await releaseFromQuarantine(database(), "webhook_endpoint", [client.clientId]);
  expect(await probe()).toBe(1);
});

test("a released probe is repeated at once, by one process", async () => {
  await announce(2);
  await changeEndpoint("probe_real_at = now()");
  await parkDeliveries(database(), { clientIds: [client.clientId], perClientMax: 128 });
  const probe = () => claimProbes(database(), { limit: 256, leaseSeconds: 30 });
  const [claimed, ...more] = await probe();
  if (!claimed) throw new Error("The endpoint's probe is due.");
  expect([more, await probe()]).toEqual([[], []]);
  await releaseDelivery(database(), claimed);
  expect((await probe()).map(({ id }) => id)).toEqual([claimed.id]);
  expect(await probe()).toEqual([]);
});

test("a redelivery lets a failing endpoint be tried again; one of an unknown webhook changes nothing", async () => {
  const [id = ""] = await announce(1);
  const { clientId } = client;
  await changeEndpoint(
    "failures = 4, failed_deliveries = 4, failed_probes = 4, probe_real_at = now() + interval '1 hour'",
  );
  const health = async () => {
    const { rows } = await servicePool().query(
      `select failures, failed_deliveries, failed_probes, probe_real_at is not null as waits
       from webhook_endpoints where client_id = $1`,
      [clientId],
    );
    return rows[0];
  };
  const before = await health();
  expect(await makeDue(database(), { ids: [newId()], clientId })).toBe(0);
  expect(await health()).toEqual(before);
  expect(await makeDue(database(), { ids: [id, newId()], clientId })).toBe(1);
  // Its failures still count toward disabling it.
  expect(await health()).toEqual({ failures: 4, failed_deliveries: 0, failed_probes: 0, waits: false });
});

test("a new address makes parked webhooks due, and doesn't reschedule other retries", async () => {
  const [id = ""] = await announce(1);
  const inAnHour = "update deliveries set is_due = false, next_attempt_real_at = now() + interval '1 hour'";
  await servicePool().query(inAnHour);
  const isDue = async () => {
    const [row] = await database().select().from(deliveries).where(eq(deliveries.id, id));
    return row?.isDue;
  };
  await changeEndpoint("failures = 4, failed_deliveries = 4, failed_probes = 4, probe_real_at = now()");
  await updateWebhookUrl(database(), { clientId: client.clientId, url: `${url}/new` });
  expect(await isDue()).toBe(false);
  const { rows } = await servicePool().query(
    "select url, failures, failed_deliveries, failed_probes, probe_real_at from webhook_endpoints where client_id = $1",
    [client.clientId],
  );
  expect(rows).toEqual([
    { url: `${url}/new`, failures: 0, failed_deliveries: 0, failed_probes: 0, probe_real_at: null },
  ]);
  await changeEndpoint("disabled_at = now()");
  await updateWebhookUrl(database(), { clientId: client.clientId, url });
  expect(await isDue()).toBe(true);
});

test("senders are notified of a redelivery, a new address and a released webhook", async () => {
  const [id = ""] = await announce(1);
  const { clientId } = client;
  const listener = await servicePool().connect();
  let notifications = 0;
  listener.on("notification", () => {
    notifications++;
  });
  try {
    await listener.query(`listen ${channels.deliveries}`);
    const expectNotification = async (work: () => Promise<unknown>) => {
      const before = notifications;
      await work();
      await expect.poll(() => notifications).toBe(before + 1);
    };
    await expectNotification(() => makeDue(database(), { ids: [id], clientId }));
    await expectNotification(() => updateWebhookUrl(database(), { clientId, url }));
    const [claimed] = await claimDeliveriesOf(client);
    if (!claimed) throw new Error("There is one delivery.");
    await expectNotification(() => releaseDelivery(database(), claimed));
    expect((await claimDeliveriesOf(client)).map((delivery) => delivery.id)).toEqual([id]);
  } finally {
    listener.release(true);
  }
});
