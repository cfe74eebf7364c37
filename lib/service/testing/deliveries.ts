import { asc, eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { encryptText } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import type { SendableDelivery } from "../operations/webhooks/send-deliveries.ts";
import { clientTime } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { claimDeliveries, webhookSecretContext } from "../storage/delivery-queue.ts";
import { deliveries, deliveryAttempts, webhookEndpoints } from "../storage/schema.ts";
import type { ClientKey } from "./clients.ts";

/** A client's oldest delivery, with the seconds until its next attempt by the client's clock. */
export async function deliveryOf({ clientId }: ClientKey) {
  const [row] = await database()
    .select({
      status: deliveries.status,
      attempts: deliveries.attempts,
      waitSeconds: sql<number>`extract(epoch from ${deliveries.nextAttemptRealAt} - now())::float8`,
    })
    .from(deliveries)
    .where(eq(deliveries.clientId, clientId))
    .orderBy(asc(deliveries.id))
    .limit(1);
  if (!row) throw new Error("This client has no delivery.");
  return row;
}

/** Waits until every delivery of a client has this status. */
export async function settled({ clientId }: ClientKey, status: "delivered" | "failed"): Promise<void> {
  const read = () =>
    database().select({ status: deliveries.status }).from(deliveries).where(eq(deliveries.clientId, clientId));
  await expect
    .poll(async () => new Set((await read()).map((row) => row.status)), { interval: 10 })
    .toEqual(new Set([status]));
}

export async function endpointOf({ clientId }: ClientKey) {
  const [row] = await database().select().from(webhookEndpoints).where(eq(webhookEndpoints.clientId, clientId));
  if (!row) throw new Error("This client has no endpoint.");
  return row;
}

/** Claims a client's due deliveries as a worker does, without their secrets. */
export async function claimDeliveriesOf(
  client: ClientKey,
  { leaseSeconds = 30 }: { leaseSeconds?: number } = {},
): Promise<SendableDelivery[]> {
  const { deliveries } = await claimDeliveries(database(), {
    after: "",
    batchSize: 512,
    perClientMax: 64,
    quickClientIds: [],
    limitedClients: new Map(),
    perQuickClientMax: 64,
    leaseSeconds,
    busyClientIds: [],
  });
  const claimed = deliveries.filter(({ clientId }) => clientId === client.clientId);
  return claimed.map((delivery) => ({ ...delivery, secrets: [] }));
}

/** Ends the leases on a client's deliveries, as 30 s of real time would. */
export async function expireLeases({ clientId }: ClientKey): Promise<void> {
  const leasedUntilRealAt = sql`now() - interval '1 second'`;
  await database().update(deliveries).set({ leasedUntilRealAt }).where(eq(deliveries.clientId, clientId));
}

/** Adds a previous secret that is valid for some hours, and returns it. */
export async function rotateWebhookSecret({ clientId }: ClientKey, { hours }: { hours: number }): Promise<string> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const { keyring } = serviceConfig();
  await database()
    .update(webhookEndpoints)
    .set({
      previousSecretEncrypted: await encryptText(secret, webhookSecretContext(clientId), keyring),
      previousSecretExpiresAt: sql`${clientTime(clientId)} + make_interval(hours => ${hours})`,
    })
    .where(eq(webhookEndpoints.clientId, clientId));
  return secret;
}

/** Oldest first. */
export async function bodiesOf({ clientId }: ClientKey): Promise<unknown[]> {
  const rows = await database()
    .select({ body: deliveries.body })
    .from(deliveries)
    .where(eq(deliveries.clientId, clientId))
    .orderBy(asc(deliveries.id));
  return rows.map(({ body }) => JSON.parse(body));
}

export function attemptsOf({ clientId }: ClientKey) {
  return database()
    .select({
      attempt: deliveryAttempts.attempt,
      responseStatus: deliveryAttempts.responseStatus,
      error: deliveryAttempts.error,
    })
    .from(deliveryAttempts)
    .innerJoin(deliveries, eq(deliveries.id, deliveryAttempts.deliveryId))
    .where(eq(deliveries.clientId, clientId))
    .orderBy(asc(deliveryAttempts.sentRealAt));
}
