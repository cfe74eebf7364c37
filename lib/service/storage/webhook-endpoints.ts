import { eq, sql } from "drizzle-orm";
import { channels } from "./channels.ts";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { webhookEndpoints } from "./schema.ts";

/** Where a client's webhooks go, as stored. */
export type WebhookEndpoint = typeof webhookEndpoints.$inferSelect;

/** Gives a client its endpoint, or puts an existing one back to this address and secret. `url` null: nowhere yet. */
export async function upsertWebhookEndpoint(
  db: Db,
  endpoint: { clientId: string; url: string | null; secretEncrypted: string },
): Promise<void> {
  const { url, secretEncrypted } = endpoint;
  await db
    .insert(webhookEndpoints)
    .values(endpoint)
    .onConflictDoUpdate({ target: webhookEndpoints.clientId, set: { url, secretEncrypted } });
}

/** Sends a client's webhooks to another address from now on, also those that waited for one; a disabled endpoint is enabled. */
export async function updateWebhookUrl(db: Db, { clientId, url }: { clientId: string; url: string }): Promise<void> {
  await db.execute(sql`
    update deliveries set next_attempt_real_at = now(), is_due = true where id = any (array(
      select id from deliveries
      where client_id = ${clientId} and status = 'pending' and not is_due and next_attempt_real_at is not null
        and exists (
          select from webhook_endpoints where client_id = ${clientId} and (url is null or disabled_at is not null))
      for no key update skip locked))`);
  const working = { failingSince: null, failingSinceRealAt: null, failures: 0, failedDeliveries: 0, failedProbes: 0 };
  await db
    .update(webhookEndpoints)
    .set({ url, disabledAt: null, probeRealAt: null, ...working })
    .where(eq(webhookEndpoints.clientId, clientId));
  await db.execute(sql`select pg_notify(${channels.deliveries}, '')`);
}

/** Where one client's webhooks go, and how the endpoint is doing. Every client has one. */
export async function findWebhookEndpoint(db: Db, clientId: string): Promise<WebhookEndpoint> {
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.clientId, clientId));
  if (!endpoint) throw new Error("The client has no webhook endpoint.");
  return endpoint;
}

/** Signs with a new secret from now on, and with the present one beside it for so many seconds by the client's clock. */
export async function replaceWebhookSecret(
  db: Db,
  {
    clientId,
    secretEncrypted,
    previousSeconds,
  }: { clientId: string; secretEncrypted: string; previousSeconds: number },
): Promise<WebhookEndpoint> {
  const [endpoint] = await db
    .update(webhookEndpoints)
    .set({
      secretEncrypted,
      previousSecretEncrypted: sql`${webhookEndpoints.secretEncrypted}`,
      previousSecretExpiresAt: sql`${clientTime(clientId)} + make_interval(secs => ${previousSeconds})`,
    })
    .where(eq(webhookEndpoints.clientId, clientId))
    .returning();
  if (!endpoint) throw new Error("The client has no webhook endpoint.");
  return endpoint;
}

/** The encryption context of an endpoint's secrets, the present and the previous one. */
export function webhookSecretContext(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}
