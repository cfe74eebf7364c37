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

/** Attempts a new delivery, refused by its receiver, while the connection that writes it down breaks. */
async function attemptWith(fate: "cut before" | "cut after"): Promise<void> {
  const { clientId } = client;
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() };
  await insertDeliveries(database(), [{ ...event, traceId: "ab".repeat(16) }]);
  const { deliveries } = await claimDeliveries({
    after: "",
    perClientMax: 64,
    quickClientIds: [],
    perQuickClientMax: 64,
    busyClientIds: [],
  });
  const delivery = deliveries.find((one) => one.clientId === clientId);
  if (!delivery) throw new Error("It was not claimed.");
  proxy.judge((message) => (message.includes("record_delivery_attempts") ? fate : "pass"));
  vi.spyOn(servicePool(), "connect").mockImplementationOnce(() => pool.connect());
  await attemptDelivery(
    delivery,
    async () => ({ kind: "answered", status: 500, retryAfter: undefined }),
    new AbortController().signal,
  );
}
