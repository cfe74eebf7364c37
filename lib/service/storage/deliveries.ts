import { asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { WebhookEvent, WebhookType } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { channels } from "./channels.ts";
import type { Db } from "./database.ts";
import { deliveries, deliveryAttempts } from "./schema.ts";

/** A webhook as it stands, with every attempt at it, the first one first. */
export type Delivery = typeof deliveries.$inferSelect & { tries: (typeof deliveryAttempts.$inferSelect)[] };

/** A change to announce. `userId`: the user, or the intent's id while no user exists, or the routine's owner (Decision D14). */
export type NewDelivery = {
  clientId: string;
  webhookType: WebhookType;
  userId: string;
  resourceId: string;
  metadata?: Record<string, string> | null;
  traceId: string;
};

/**
 * Puts a set of webhooks into the outbox, in the transaction of the changes that they announce: sent if it commits, never
 * if it does not. The body is fixed here, to the byte, because it is what every attempt signs.
 */
export async function insertDeliveries(tx: Db, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map((delivery) => ({ id: newId(), ...delivery }));
  const column = (values: unknown[]) => sql.param(values);
  await tx.execute(sql`
    insert into deliveries (id, client_id, webhook_type, resource_id, body, trace_id, next_attempt_at, created_at)
    select d.id, d.client_id, d.webhook_type, d.resource_id, d.body, d.trace_id,
      case when e.client_id is not null then now() + c.clock_offset end, now() + c.clock_offset
    from unnest(
      ${column(rows.map(({ id }) => id))}::uuid[],
      ${column(rows.map(({ clientId }) => clientId))}::text[],
      ${column(rows.map(({ webhookType }) => webhookType))}::text[],
      ${column(rows.map(({ resourceId }) => resourceId))}::uuid[],
      ${column(rows.map(bodyOf))}::text[],
      ${column(rows.map(({ traceId }) => traceId))}::text[]
    ) as d (id, client_id, webhook_type, resource_id, body, trace_id)
    join clients c on c.id = d.client_id
    left join webhook_endpoints e on e.client_id = d.client_id and e.url is not null and e.disabled_at is null`);
}

function bodyOf({ id, webhookType, userId, resourceId, metadata }: NewDelivery & { id: string }): string {
  const event: WebhookEvent = {
    webhook_type: webhookType,
    webhook_id: id,
    user_id: userId,
    resource_id: resourceId,
    ...(metadata && { metadata }),
  };
  return JSON.stringify(event);
}

/** A client's newest deliveries, newest first. */
export async function listDeliveries(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<Delivery[]> {
  const newest = await db
    .select()
    .from(deliveries)
    .where(eq(deliveries.clientId, clientId))
    .orderBy(desc(deliveries.id))
    .limit(limit);
  return withTries(db, newest);
}

/**
 * Makes one client's delivery due now, whatever became of it before: one more attempt, after which its schedule goes on.
 * Without a working endpoint it waits for one. Undefined when the client has no such delivery.
 */
export async function redeliver(
  db: Db,
  { id, clientId }: { id: string; clientId: string },
): Promise<Delivery | undefined> {
  const { rows } = await db.execute<{ id: string }>(sql`
    with due as (
      update deliveries d set status = 'pending', delivered_at = null,
        next_attempt_at = case when e.url is not null and e.disabled_at is null then now() + c.clock_offset end
      from clients c left join webhook_endpoints e on e.client_id = c.id
      where d.id = ${id} and d.client_id = ${clientId} and c.id = d.client_id
      returning d.id
    )
    select id, pg_notify(${channels.deliveries}, '') from due`);
  if (rows.length === 0) return undefined;
  const [delivery] = await withTries(db, await db.select().from(deliveries).where(eq(deliveries.id, id)));
  return delivery;
}

async function withTries(db: Db, found: (typeof deliveries.$inferSelect)[]): Promise<Delivery[]> {
  const ids = found.map(({ id }) => id);
  const tries = await db
    .select()
    .from(deliveryAttempts)
    .where(inArray(deliveryAttempts.deliveryId, ids))
    .orderBy(asc(deliveryAttempts.attempt));
  const byDelivery = Map.groupBy(tries, ({ deliveryId }) => deliveryId);
  return found.map((delivery) => ({ ...delivery, tries: byDelivery.get(delivery.id) ?? [] }));
}
