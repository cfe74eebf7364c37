import { eq, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { webhookEndpoints } from "./schema.ts";

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
  await db
    .update(webhookEndpoints)
    .set({ url, disabledAt: null, failingSince: null, failures: 0 })
    .where(eq(webhookEndpoints.clientId, clientId));
  await db.execute(sql`select pg_notify('service_deliveries', '')`);
}

/** The encryption context of an endpoint's secrets, the present and the previous one. */
export function webhookSecretContext(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}
