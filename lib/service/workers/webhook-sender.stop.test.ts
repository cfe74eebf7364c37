import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { type FakeServer, startFakeServer } from "../../kit/testing/fake-server.ts";
import { database, inTransaction } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { deliveries } from "../storage/schema.ts";
import { createTestClient } from "../testing/clients.ts";
import { startWebhookSender } from "./start-workers.ts";

let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(() => fake.stop());

// A stopped process leaves no lease that others would have to wait for.
test("a stopping sender releases unfinished deliveries, and the next one sends them at once", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
  fake.answer(() => {});
  const leaving = startWebhookSender();
  const resourceId = newId();
  const event = { webhookType: "user_updated" as const, userId: resourceId, resourceId, traceId: "ab".repeat(16) };
  await inTransaction((tx) => insertDeliveries(tx, [{ clientId: client.clientId, ...event }]));
  await fake.waitFor(1);
  await leaving.stop();

  const [left] = await database().select().from(deliveries).where(eq(deliveries.resourceId, resourceId));
  expect(left).toMatchObject({ status: "pending", attempts: 0, leasedUntilRealAt: null });

  fake.answer((_request, response) => response.writeHead(204).end());
  const next = startWebhookSender();
  const sent = await fake.waitFor(2);
  expect(sent[1]?.headers["webhook-id"]).toBe(sent[0]?.headers["webhook-id"]);
  await next.stop();
});
