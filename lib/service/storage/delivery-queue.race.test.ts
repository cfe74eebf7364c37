import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { createTestClient } from "../testing/clients.ts";
import { type Db, database, inTransaction } from "./database.ts";
import { insertDeliveries } from "./deliveries.ts";
import { claimDeliveries } from "./delivery-queue.ts";

test("two processes that claim concurrently get different webhooks without waiting", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9" } });
  const { clientId } = client;
  const event = () => ({ clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() });
  const written = Array.from({ length: 10 }, () => ({ ...event(), traceId: "ab".repeat(16) }));
  await insertDeliveries(database(), written);
  const claim = async (db: Db) =>
    (
      await claimDeliveries(db, {
        after: "",
        batchSize: 512,
        perClientMax: 6,
        quickClientIds: [],
        pacedClients: new Map(),
        perQuickClientMax: 6,
        leaseSeconds: 30,
        busyClientIds: [],
      })
    ).deliveries.map(({ id }) => id);
  const [first, second] = await inTransaction(async (tx) => {
    const claimed = await claim(tx);
    return [claimed, await claim(database())] as const;
  });
  expect([first.length, second.length]).toEqual([6, 4]);
  expect(new Set([...first, ...second]).size).toBe(10);
  expect(await claim(database())).toEqual([]);
});
