import { asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { WebhookEvent, WebhookType } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { channels } from "./channels.ts";
import { clockOffset } from "./client-time.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./newest-of-owner.ts";
import type { Page } from "./routines.ts";
import { deliveries, deliveryAttempts } from "./schema.ts";

/** A webhook as it stands, with every attempt at it, the first one first. `nextAttemptAt` is by its client's clock. */
export type Delivery = typeof deliveries.$inferSelect & {
  nextAttemptAt: Date | null;
  tries: (typeof deliveryAttempts.$inferSelect)[];
};

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
  const columns = columnsOfDeliveries(deliveries).map((column) => sql.param(column));
  const [ids, clientIds, webhookTypes, resourceIds, bodies, traceIds] = columns;
  await tx.execute(sql`
    ${sql.raw(insertAnnounced)}
    from unnest(${ids}::uuid[], ${clientIds}::text[], ${webhookTypes}::text[], ${resourceIds}::uuid[], ${bodies}::text[],
      ${traceIds}::text[]) as d (id, client_id, webhook_type, resource_id, body, trace_id)
    ${sql.raw(joinClientOfAnnounced)}`);
}

/** New webhooks as columns: their new ids, clients, types, resources, bodies and trace ids. */
export function columnsOfDeliveries(deliveries: NewDelivery[]) {
  const rows = deliveries.map((delivery) => ({ id: newId(), ...delivery }));
  return [
    rows.map(({ id }) => id),
    rows.map(({ clientId }) => clientId),
    rows.map(({ webhookType }) => webhookType),
    rows.map(({ resourceId }) => resourceId),
    rows.map(bodyOf),
    rows.map(({ traceId }) => traceId),
  ];
}

/** The beginning of a statement that puts webhooks `d` into the outbox; `from` … `d` and the join below follow. */
export const insertAnnounced = `
    insert into deliveries (id, client_id, webhook_type, resource_id, body, trace_id, next_attempt_real_at, is_due,
      created_at)
    select d.id, d.client_id, d.webhook_type, d.resource_id, d.body, d.trace_id, now(), true, now() + c.clock_offset`;

/** What it joins: each webhook's client. */
export const joinClientOfAnnounced = `join clients c on c.id = d.client_id`;

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

/** A client's deliveries, newest first. */
export async function listDeliveries(
  db: Db,
  { clientId, limit, startingAfter }: Page & { clientId: string },
): Promise<Delivery[]> {
  const { isAsked, newestFirst } = newestOfOwner([[deliveries.clientId, clientId]], deliveries.id, startingAfter);
  const newest = await db.select(shownTo(clientId)).from(deliveries).where(isAsked).orderBy(newestFirst).limit(limit);
  return withTries(db, newest);
}

/**
 * Makes one client's delivery due now, whatever became of it before: one more attempt, after which its schedule goes on.
 * An endpoint that fails as a whole is tried anew; one that is disabled is waited for. Undefined when the client has no such
 * delivery.
 */
export async function redeliver(
  db: Db,
  { id, clientId }: { id: string; clientId: string },
): Promise<Delivery | undefined> {
  const { rows } = await db.execute<{ id: string }>(sql`
    with due as (
      update deliveries d set status = 'pending', delivered_at = null, next_attempt_real_at = now(), is_due = true
      where d.id = ${id} and d.client_id = ${clientId}
      returning d.id, d.client_id
    ), tried_anew as (
      update webhook_endpoints e set probe_real_at = null, failed_deliveries = 0, failed_probes = 0
      from due where e.client_id = due.client_id and e.probe_real_at is not null
    )
    select id, pg_notify(${channels.deliveries}, '') from due`);
  if (rows.length === 0) return undefined;
  const [delivery] = await withTries(
    db,
    await db.select(shownTo(clientId)).from(deliveries).where(eq(deliveries.id, id)),
  );
  return delivery;
}

// With the time of the next attempt at the earliest: none while no endpoint works, no probe's before its time.
const shownTo = (clientId: string) => ({
  ...getTableColumns(deliveries),
  nextAttemptAt: sql<Date | null>`(
    select greatest(${deliveries.nextAttemptRealAt}, e.probe_real_at) + ${clockOffset(clientId)} from webhook_endpoints e
    where ${deliveries.status} = 'pending' and e.client_id = ${clientId} and e.url is not null and e.disabled_at is null
  )`.mapWith(deliveries.nextAttemptRealAt),
});

async function withTries(db: Db, found: Omit<Delivery, "tries">[]): Promise<Delivery[]> {
  const ids = found.map(({ id }) => id);
  const tries = await db
    .select()
    .from(deliveryAttempts)
    .where(inArray(deliveryAttempts.deliveryId, ids))
    .orderBy(asc(deliveryAttempts.attempt));
  const byDelivery = Map.groupBy(tries, ({ deliveryId }) => deliveryId);
  return found.map((delivery) => ({ ...delivery, tries: byDelivery.get(delivery.id) ?? [] }));
}
