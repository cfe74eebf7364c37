import { expect, test } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { database } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { updateWebhookUrl } from "../../storage/webhook-endpoints.ts";
import { createTestClient } from "../../testing/clients.ts";
import { claimDeliveriesOf, endpointOf } from "../../testing/deliveries.ts";
import { attemptDelivery } from "./send-deliveries.ts";

test("a late 410 of the old address doesn't disable the new one", async () => {
  const client = await createTestClient();
  const { clientId } = client;
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: "http://127.0.0.1:9/old" } });
  const event = { clientId, webhookType: "user_updated" as const, userId: newId(), resourceId: newId() };
  await insertDeliveries(database(), [{ ...event, traceId: "ab".repeat(16) }]);
  const [claimed] = await claimDeliveriesOf(client, { leaseSeconds: 30 });
  if (!claimed) throw new Error("There is one delivery.");
  const send = async () => {
    await updateWebhookUrl(database(), { clientId, url: "http://127.0.0.1:9/new" });
    return { kind: "answered" as const, status: 410, retryAfter: undefined };
  };
  await attemptDelivery(claimed, send, new AbortController().signal);
  expect(await endpointOf(client)).toMatchObject({ url: "http://127.0.0.1:9/new", disabledAt: null, failures: 0 });
});
