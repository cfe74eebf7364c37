import { eq, sql } from "drizzle-orm";
import { channels } from "./channels.ts";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { webhookEndpoints } from "./schema.ts";

export type WebhookEndpoint = typeof webhookEndpoints.$inferSelect;

/** Creates a client's endpoint, or resets its address and secret. Without a `url`, its webhooks wait. */
export async function upsertWebhookEndpoint(
  db: Db,
  endpoint: { clientId: string; url: string | null; secretEncrypted: string },
): Promise<void> {
  const { url, secretEncrypted } = endpoint;
  const [stored] = await db
    .insert(webhookEndpoints)
    .values(endpoint)
    .onConflictDoUpdate({ target: webhookEndpoints.clientId, set: { secretEncrypted } })
    .returning({ url: webhookEndpoints.url });
  if (stored?.url !== url) await updateWebhookUrl(db, { clientId: endpoint.clientId, url });
}

/** Changes a client's webhook address, for pending deliveries too, and enables a disabled endpoint. Without one, they wait. */
export async function updateWebhookUrl(
  db: Db,
  { clientId, url }: { clientId: string; url: string | null },
): Promise<void> {
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
  await db.execute(sql`select pg_notify(${channels.deliveries}, current_schema())`);
}

export async function findWebhookEndpoint(db: Db, clientId: string): Promise<WebhookEndpoint> {
  const [endpoint] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.clientId, clientId));
  if (!endpoint) throw new Error("The client has no webhook endpoint.");
  return endpoint;
}

/**
 * When the secret before the current one expires; undefined if it has, by the client's clock, or if there is none. Locks the
 * endpoint, so that the answer holds until the secret is replaced.
 */
export async function lockPreviousWebhookSecret(db: Db, clientId: string): Promise<Date | undefined> {
  const { previousSecretExpiresAt } = webhookEndpoints;
  const [endpoint] = await db
    .select({ previousSecretExpiresAt, isOver: sql<boolean>`${previousSecretExpiresAt} <= ${clientTime(clientId)}` })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.clientId, clientId))
    .for("no key update");
  return endpoint?.isOver ? undefined : (endpoint?.previousSecretExpiresAt ?? undefined);
}

type NewSecret = { clientId: string; secretEncrypted: string; previousSeconds: number };

/** The replaced secret also signs for `previousSeconds` by the client's clock. */
export async function replaceWebhookSecret(
  db: Db,
  { clientId, secretEncrypted, previousSeconds }: NewSecret,
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

export type EndpointCount = { state: "failing" | "disabled"; count: number; waitingCount: number };

const waitingMax = 1000;

/** Endpoints that fail or are disabled, and the webhooks waiting for them, counting at most 1,000 per endpoint. */
export async function countEndpoints(db: Db): Promise<EndpointCount[]> {
  const { rows } = await db.execute<EndpointCount>(sql`
    with bad as (
      select client_id, case when disabled_at is not null then 'disabled' else 'failing' end as state
      from webhook_endpoints where disabled_at is not null or probe_real_at is not null
    ), counted as (
      select state, waiting.n from bad cross join lateral (
        select count(*) as n from (
          select from deliveries d
          where d.client_id = bad.client_id and d.status = 'pending' and d.next_attempt_real_at is null
          limit ${waitingMax}
        ) found
      ) waiting
    )
    select s.state, count(c.state)::int as count, coalesce(sum(c.n), 0)::int as "waitingCount"
    from unnest(array['failing', 'disabled']) as s (state) left join counted c on c.state = s.state
    group by s.state`);
  return rows;
}
