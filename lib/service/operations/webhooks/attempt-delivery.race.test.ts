import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { openPool } from "../../../kit/postgres.ts";
import { database, servicePool } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../testing/database-proxy.ts";
import { attemptsOf, deliveryOf, endpointOf } from "../../testing/deliveries.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { claimDeliveries } from "./claim-deliveries.ts";

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

test("an attempt is known to be written down though its answer is lost, and counts once", async () => {
  await attemptWith("cut after");
  expect(await attemptsOf(client)).toHaveLength(1);
  expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 1 });
  expect(await endpointOf(client)).toMatchObject({ failures: 1, failedDeliveries: 1 });
});

test("an attempt that is lost on its way to the database is not taken for written down", async () => {
  await expect(attemptWith("cut before")).rejects.toThrow("broke before");
  expect(await attemptsOf(client)).toHaveLength(0);
  expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
});

test.each(["emfile", "eai_again"])(
  "webhooks that this process could not dial (%s) cost no attempt, and their endpoint is left alone for a moment",
  async (error) => {
    const claimed = [await claimNewDelivery(), await claimNewDelivery()];
    const stopping = new AbortController().signal;
    const results = await Promise.all(
      claimed.map((delivery) => attemptDelivery(delivery, async () => ({ kind: "not_sent", error }), stopping)),
    );
    expect(results).toEqual([undefined, undefined]);
    expect(await attemptsOf(client)).toHaveLength(0);
    expect(await deliveryOf(client)).toMatchObject({ status: "pending", attempts: 0 });
    expect(await endpointOf(client)).toMatchObject({ failures: 0, failedDeliveries: 0 });
    const { rows } = await servicePool().query(
      "select reason, failures, extract(epoch from retry_real_at - now())::float8 as wait from quarantine where id = $1",
      [client.clientId],
    );
    expect(rows).toEqual([{ reason: `could not be dialed: ${error}`, failures: 1, wait: expect.closeTo(5, 0) }]);
    expect(await claimOwn()).toEqual([]);

    await servicePool().query("update quarantine set retry_real_at = now()");
    expect((await claimOwn()).map(({ id }) => id).sort()).toEqual(claimed.map(({ id }) => id).sort());
    expect((await servicePool().query("select from quarantine")).rowCount).toBe(0);
  },
);

/** Attempts a new delivery, refused by its receiver, while the connection that writes it down breaks. */
async function attemptWith(fate: "cut before" | "cut after"): Promise<void> {
  const delivery = await claimNewDelivery();
  proxy.judge((message) => (message.includes("record_delivery_attempts") ? fate : "pass"));
  vi.spyOn(servicePool(), "connect").mockImplementationOnce(() => pool.connect());
  await attemptDelivery(
    delivery,
    async () => ({ kind: "answered", status: 500, retryAfter: undefined }),
    new AbortController().signal,
  );
}

async function claimNewDelivery() {
  const { clientId } = client;
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() };
  await insertDeliveries(database(), [{ ...event, traceId: "ab".repeat(16) }]);
  const [delivery] = await claimOwn();
  if (!delivery) throw new Error("It was not claimed.");
  return delivery;
}

async function claimOwn() {
  const { deliveries } = await claimDeliveries({
    after: "",
    perClientMax: 64,
    quickClientIds: [],
    perQuickClientMax: 64,
    busyClientIds: [],
  });
  return deliveries.filter(({ clientId }) => clientId === client.clientId);
}
