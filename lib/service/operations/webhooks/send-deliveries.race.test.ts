import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { openPool } from "../../../kit/postgres.ts";
import type { WebhookReply } from "../../outbound/deliver-webhook.ts";
import { database, servicePool } from "../../storage/database.ts";
import { insertDeliveries, redeliver } from "../../storage/deliveries.ts";
import { updateWebhookUrl } from "../../storage/webhook-endpoints.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../testing/database-proxy.ts";
import { attemptsOf, claimDeliveriesOf, deliveryOf, endpointOf } from "../../testing/deliveries.ts";
import { endQuarantines } from "../../testing/quarantine.ts";
import { attemptDelivery, createDeliverySender, type SendableDelivery, withSecrets } from "./send-deliveries.ts";

let proxy: DatabaseProxy;
let pool: ReturnType<typeof openPool>;
let client: TestClient;
beforeAll(async () => {
  proxy = await startDatabaseProxy();
  pool = openPool(proxy.url, { connectionsMax: 1 });
});
beforeEach(async () => {
  client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9" } });
});
afterAll(async () => {
  await proxy.stop();
  await pool.end();
});

test("an attempt whose commit confirmation is lost counts once", async () => {
  await attemptWith("cut after");
  expect(await attemptsOf(client)).toHaveLength(1);
  expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 1 });
  expect(await endpointOf(client)).toMatchObject({ failures: 1, failedDeliveries: 1 });
});

test("a late 410 of the old address doesn't disable the new one", async () => {
  const { clientId } = client;
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() };
  await insertDeliveries(database(), [{ ...event, traceId: "ab".repeat(16) }]);
  const [claimed] = await claimDeliveriesOf(client, { leaseSeconds: 30 });
  if (!claimed) throw new Error("There is one delivery.");
  const url = "http://127.0.0.1:9/new";
  const send = async () => {
    await updateWebhookUrl(database(), { clientId, url });
    return { kind: "answered" as const, status: 410, retryAfter: undefined };
  };
  await attemptDelivery(claimed, send, new AbortController().signal);
  expect(await endpointOf(client)).toMatchObject({ url, disabledAt: null, failures: 0 });
});

test("an attempt lost on its way to the database is recorded by the retry and counts once", async () => {
  await attemptWith("cut and delay");
  expect(await attemptsOf(client)).toHaveLength(1);
  await proxy.deliverDelayed();
  expect(await attemptsOf(client)).toHaveLength(1);
  expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 1 });
  expect(await endpointOf(client)).toMatchObject({ failures: 1, failedDeliveries: 1 });
});

test.each(["emfile", "eai_again"])(
  "a local dial failure (%s) costs no attempt and quarantines the endpoint until a dial succeeds",
  async (error) => {
    const claimed = [await claimNew({ leaseSeconds: 30 }), await claimNew({ leaseSeconds: 30 })];
    const attemptAll = (deliveries: SendableDelivery[], reply: WebhookReply) =>
      Promise.all(
        deliveries.map((delivery) => attemptDelivery(delivery, async () => reply, new AbortController().signal)),
      );
    const quarantine = async () => {
      const { rows } = await servicePool().query(
        `select reason, failures, extract(epoch from retry_real_at - now()) > 5 as "isLonger"
         from quarantine where id = $1`,
        [client.clientId],
      );
      return rows;
    };
    const reason = `could not be dialed: ${error}`;
    expect(await attemptAll(claimed, { kind: "not_sent", error })).toEqual([undefined, undefined]);
    expect(await attemptsOf(client)).toHaveLength(0);
    expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
    expect(await endpointOf(client)).toMatchObject({ failures: 0, failedDeliveries: 0 });
    expect(await quarantine()).toEqual([{ reason, failures: 1, isLonger: false }]);
    expect(await claimOwn()).toEqual([]);

    await endQuarantines();
    const again = await claimOwn();
    expect(again.map(({ id }) => id).sort()).toEqual(claimed.map(({ id }) => id).sort());
    await attemptAll(again, { kind: "not_sent", error });
    expect(await quarantine()).toEqual([{ reason, failures: 2, isLonger: true }]);

    await endQuarantines();
    await attemptAll(await claimOwn(), answered(204));
    expect(await quarantine()).toEqual([]);
  },
);

test.each([-1, 30 * 24])("a clock moved by %i hours during an attempt doesn't change its duration", async (hours) => {
  const delivery = await claimNew({ leaseSeconds: 30 });
  const clock = vi.spyOn(Date, "now");
  const send = async () => {
    clock.mockReturnValue(Date.now() + hours * 3_600_000);
    return answered(204);
  };
  const result = await attemptDelivery(delivery, send, new AbortController().signal).finally(() => clock.mockRestore());
  expect(result?.durationMs).toBeGreaterThanOrEqual(0);
  expect(result?.durationMs).toBeLessThan(10_000);
});

test("a success recorded in the same batch as a failure clears the endpoint's failures", async () => {
  const claimed = [];
  for (let count = 0; count < 4; count++) claimed.push(await claimNew({ leaseSeconds: 30 }));
  const statuses = [500, 500, 204, 500];
  // The first is recorded alone, the others in one batch.
  await Promise.all(claimed.map((delivery, at) => attempt(delivery, answered(statuses[at] ?? 500))));
  expect(await endpointOf(client)).toMatchObject({ failures: 0, failedDeliveries: 0 });
});

test("an attempt from before its endpoint was found failing doesn't change when the endpoint is probed", async () => {
  const claimed = await claimNew({ leaseSeconds: 30 });
  await servicePool().query(
    "update webhook_endpoints set probe_real_at = now() + interval '1 hour', failed_probes = 3 where client_id = $1",
    [client.clientId],
  );
  const { probeRealAt } = await endpointOf(client);
  await attempt(claimed, answered(500));
  expect(await endpointOf(client)).toMatchObject({ failures: 1, probeRealAt, failedProbes: 3 });
});

test("the sender polls again as soon as a probe ends, because a success frees parked webhooks", async () => {
  await claimNew({ leaseSeconds: 0 });
  await servicePool().query(
    `update webhook_endpoints set probe_real_at = now(), has_waiting = true where client_id = $1`,
    [client.clientId],
  );
  await servicePool().query("update deliveries set is_due = false, next_attempt_real_at = null where client_id = $1", [
    client.clientId,
  ]);
  const onCapacity = vi.fn();
  const sender = createDeliverySender({ onCapacity });
  await sender.sendAllDue();
  await expect.poll(() => onCapacity.mock.calls.length).toBe(1);
  await sender.drain({ graceMs: 1000 });
  expect(await endpointOf(client)).toMatchObject({ failedProbes: 1 });
});

test("a stopping sender starts no more attempts, although more are due", async () => {
  const { id } = await claimNew({ leaseSeconds: 0 });
  const sender = createDeliverySender({ onCapacity: () => {} });
  await sender.sendAllDue(AbortSignal.abort());
  await sender.drain({ graceMs: 1000 });
  expect((await claimOwn()).map((delivery) => delivery.id)).toEqual([id]);
  expect(await deliveryOf(client)).toMatchObject({ attempts: 0 });
});

test("an attempt doesn't undo a redelivery that was requested while it was in flight", async () => {
  const delivery = await claimNew({ leaseSeconds: 30 });
  const send = async () => {
    await redeliver(database(), delivery);
    return timeout;
  };
  await attemptDelivery(delivery, send, new AbortController().signal);
  await attempt(await claim({ leaseSeconds: 30 }), answered(204));
  expect(await deliveryOf(client)).toMatchObject({ status: "delivered", attempts: 1 });
});

describe("a stopping worker, or one paused past its lease", () => {
  test("counts no failure of a webhook that another worker has delivered since", async () => {
    const [late, current] = [await claimNew({ leaseSeconds: 0 }), await claim({ leaseSeconds: 30 })];
    await attempt(current, answered(204));
    for (const reply of [timeout, answered(500), answered(410)]) await attempt(late, reply);
    expect(await attemptsOf(client)).toEqual([{ attempt: 1, responseStatus: 204, error: null }]);
    expect(await deliveryOf(client)).toMatchObject({ status: "delivered", attempts: 1 });
    expect(await endpointOf(client)).toMatchObject({ failures: 0, failedDeliveries: 0, disabledAt: null });
  });

  test("does not touch a webhook that another worker is attempting", async () => {
    const [late, current] = [await claimNew({ leaseSeconds: 0 }), await claim({ leaseSeconds: 30 })];
    await attempt(late, answered(500));
    expect(await claimAll({ leaseSeconds: 30 })).toEqual([]);
    expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
    await attempt(current, timeout);
    expect(await attemptsOf(client)).toEqual([{ attempt: 1, responseStatus: null, error: "timeout" }]);
    expect(await endpointOf(client)).toMatchObject({ failures: 1, failedDeliveries: 1 });
  });

  test("releases no webhook that another worker has claimed", async () => {
    const late = await claimNew({ leaseSeconds: 0 });
    await claim({ leaseSeconds: 30 });
    await attempt(late, timeout, AbortSignal.abort());
    expect(await claimAll({ leaseSeconds: 30 })).toEqual([]);
  });

  test("counts a response that arrives as it stops, and releases a webhook without one", async () => {
    const delivery = await claimNew({ leaseSeconds: 30 });
    await attempt(delivery, timeout, AbortSignal.abort());
    expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
    await attempt(await claim({ leaseSeconds: 30 }), answered(204), AbortSignal.abort());
    expect(await deliveryOf(client)).toMatchObject({ status: "delivered", attempts: 1 });
  });

  test("counts a response but not a timeout if no other worker has claimed the webhook", async () => {
    const late = await claimNew({ leaseSeconds: 0 });
    await attempt(late, timeout);
    expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
    expect(await endpointOf(client)).toMatchObject({ failures: 0 });
    await attempt(late, answered(500));
    expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 1 });
    expect(await endpointOf(client)).toMatchObject({ failures: 1 });
  });

  test("does not override its own later attempt in the same batch", async () => {
    const [late, current] = [await claimNew({ leaseSeconds: 0 }), await claim({ leaseSeconds: 30 })];
    await Promise.all([attempt(late, answered(500)), attempt(current, answered(204))]);
    expect(await deliveryOf(client)).toMatchObject({ status: "delivered" });
    expect(await endpointOf(client)).toMatchObject({ failures: 0 });
  });
});

const timeout: WebhookReply = { kind: "unanswered", error: "timeout" };

function answered(status: number): WebhookReply {
  return { kind: "answered", status, retryAfter: undefined };
}

function attempt(delivery: SendableDelivery, reply: WebhookReply, stopping = new AbortController().signal) {
  return attemptDelivery(delivery, async () => reply, stopping);
}

/** Attempts a new delivery, refused by its receiver, while the connection that records it breaks. */
async function attemptWith(fate: "cut and delay" | "cut after"): Promise<void> {
  const delivery = await claimNew({ leaseSeconds: 30 });
  proxy.judge((message) => (message.includes("record_delivery_attempts") ? fate : "pass"));
  vi.spyOn(servicePool(), "connect").mockImplementationOnce(() => pool.connect());
  await attempt(delivery, answered(500));
}

async function claimNew(lease: { leaseSeconds: number }): Promise<SendableDelivery> {
  const { clientId } = client;
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() };
  await insertDeliveries(database(), [{ ...event, traceId: "ab".repeat(16) }]);
  return claim(lease);
}

async function claim(lease: { leaseSeconds: number }): Promise<SendableDelivery> {
  const [delivery] = await claimAll(lease);
  if (!delivery) throw new Error("No delivery was claimed.");
  return delivery;
}

function claimAll(lease: { leaseSeconds: number }): Promise<SendableDelivery[]> {
  return claimDeliveriesOf(client, lease);
}

async function claimOwn(): Promise<SendableDelivery[]> {
  return withSecrets(await claimAll({ leaseSeconds: 30 }));
}
