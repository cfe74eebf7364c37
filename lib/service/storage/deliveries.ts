import { asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import type { WebhookEvent, WebhookType } from "../../contract/webhooks.ts";
import { firstIdAt, newId } from "../../kit/ids.ts";
import { type Connection, runPrepared } from "../../kit/postgres.ts";
import { channels } from "./channels.ts";
import { clockOffset, timeAfterText } from "./clients.ts";
import type { Db, RowOfClient } from "./database.ts";
import { keysetPage, type Page } from "./pagination.ts";
import { deliveries, deliveryAttempts } from "./schema.ts";

/** `nextAttemptAt` is by the client's clock. */
export type Delivery = typeof deliveries.$inferSelect & {
  nextAttemptAt: Date | null;
  tries: (typeof deliveryAttempts.$inferSelect)[];
};

/** `userId`: the user, the intent while it has no user, or the routine's owner (Decision D14). */
export type NewDelivery = {
  clientId: string;
  webhookType: WebhookType;
  userId: string;
  resourceId: string;
  metadata?: Record<string, string> | null;
  traceId: string;
};

/**
 * Adds webhooks to the outbox, in the transaction of their changes. The body is stored byte for byte, because every
 * attempt signs it.
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

/** As column arrays: ids, clients, types, resources, bodies, trace ids. */
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

/** The start of a statement that adds webhooks `d`; `from … d` and `joinClientOfAnnounced` follow. */
export const insertAnnounced = `
    insert into deliveries (id, client_id, webhook_type, resource_id, body, trace_id, next_attempt_real_at, is_due,
      created_at)
    select d.id, d.client_id, d.webhook_type, d.resource_id, d.body, d.trace_id, now(), true, now() + c.clock_offset`;

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

export async function listDeliveries(
  db: Db,
  { clientId, limit, startingAfter }: Page & { clientId: string },
): Promise<Delivery[]> {
  const { isOnPage, newestFirst } = keysetPage([[deliveries.clientId, clientId]], deliveries.id, startingAfter);
  const newest = await db
    .select(columnsFor(clientId))
    .from(deliveries)
    .where(isOnPage)
    .orderBy(newestFirst)
    .limit(limit);
  return withTries(db, newest);
}

/**
 * Makes a delivery due now, in any status; its schedule continues after that attempt. An attempt in flight no longer counts.
 * A failing endpoint is tried, a disabled one is not. Undefined if the client has no such delivery.
 */
export async function redeliver(db: Db, { id, clientId }: RowOfClient): Promise<Delivery | undefined> {
  if ((await makeDue(db, { ids: [id], clientId })) === 0) return undefined;
  const [delivery] = await withTries(
    db,
    await db.select(columnsFor(clientId)).from(deliveries).where(eq(deliveries.id, id)),
  );
  return delivery;
}

/** Like `redeliver`, for several deliveries; returns how many were the client's. */
export async function makeDue(db: Db, { ids, clientId }: { ids: string[]; clientId: string }): Promise<number> {
  const { rows } = await db.execute<{ made: number }>(sql`
    with due as (
      update deliveries d set status = 'pending', delivered_at = null, next_attempt_real_at = now(), is_due = true,
        leased_until_real_at = null
      where d.id = any (${sql.param(ids)}::uuid[]) and d.client_id = ${clientId}
      returning d.id
    ), retried_endpoint as (
      update webhook_endpoints e set probe_real_at = null, failed_deliveries = 0, failed_probes = 0
      where e.client_id = ${clientId} and e.probe_real_at is not null and exists (select from due)
    )
    select count(*)::int as made, pg_notify(${channels.deliveries}, current_schema()) from due`);
  return rows[0]?.made ?? 0;
}

export type DeliveryPeriod = { clientId: string; from: Date; until: Date; limit: number };

/**
 * Locks a client's deliveries that were created at or after `from` and before `until`, in real time; oldest first. `isStuck`:
 * only those that failed, or wait for a retry or for their endpoint.
 */
export async function lockDeliveriesInPeriod(
  tx: Db,
  { clientId, from, until, limit, isStuck = false }: DeliveryPeriod & { isStuck?: boolean },
): Promise<string[]> {
  // Both columns, so that PostgreSQL uses the index by client (pagination.ts).
  const { rows } = await tx.execute<{ id: string }>(sql`
    select id from deliveries
    where (client_id, id) >= (${clientId}, ${firstIdAt(from)}::uuid) and (client_id, id) < (${clientId}, ${firstIdAt(until)}::uuid)
      ${isStuck ? stuck : sql``}
    order by client_id, id limit ${limit} for no key update`);
  return rows.map(({ id }) => id);
}

// Excludes those that a sandbox's fault holds back before their first attempt.
const stuck = sql`and status <> 'delivered' and not is_due and (attempts > 0 or next_attempt_real_at is null)`;

// Null without a usable endpoint; never before a failing endpoint's next probe.
const columnsFor = (clientId: string) => ({
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

/** `delayMs` until the next attempt; null after a delivery or the last attempt. */
export type AttemptResult = {
  deliveryId: string;
  clientId: string;
  leasedUntil: string;
  /** Where it was sent. If the endpoint's address changed since, the attempt says nothing about the new one. */
  url: string;
  attempt: number;
  sentAt: Date;
  durationMs: number;
  responseStatus: number | null;
  error: string | null;
  status: "delivered" | "pending" | "failed";
  delayMs: number | null;
  /** If this attempt was the probe of a failing endpoint, or made it one: the pause before the next probe. */
  nextProbeMs: number;
  isProbe: boolean;
  /** The receiver answered 410: disable the endpoint. */
  isGone: boolean;
};

/**
 * Records attempts, schedules the next ones, and updates the health of endpoints: a failing one is only probed, and finally
 * disabled (Decision D14). Returns the attempts that count, without those that another process has claimed since or that
 * timed out after the lease. Its own transaction; locks deliveries by id, then endpoints by client.
 */
export async function recordDeliveryAttempts(
  connection: Connection,
  results: AttemptResult[],
): Promise<AttemptResult[]> {
  const counted = await runPrepared<{ position: number }>(connection, recordAttempts, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ clientId }) => clientId),
    results.map(({ leasedUntil }) => leasedUntil),
    results.map(({ attempt }) => attempt),
    results.map(({ sentAt }) => sentAt),
    results.map(({ durationMs }) => durationMs),
    results.map(({ responseStatus }) => responseStatus),
    results.map(({ error }) => error),
    results.map(({ status }) => status),
    results.map(({ delayMs }) => delayMs),
    results.map(({ nextProbeMs }) => nextProbeMs),
    results.map(({ isGone }) => isGone),
    [...new Set(results.map(({ clientId }) => clientId))],
    results.map(({ isProbe }) => isProbe),
    results.map(({ url }) => url),
  ]);
  return atPositions(results, counted);
}

export async function lockRecordedAttempts(connection: Connection, results: AttemptResult[]): Promise<AttemptResult[]> {
  const found = await runPrepared<{ position: number }>(connection, lockRecorded, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ attempt }) => attempt),
    results.map(({ sentAt }) => sentAt),
  ]);
  return atPositions(results, found);
}

function atPositions(results: AttemptResult[], found: { position: number }[]): AttemptResult[] {
  const positions = new Set(found.map(({ position }) => position));
  return results.filter((_, index) => positions.has(index + 1));
}

// If an endpoint had a success, its failures in this set don't count. Each delivery counts only once towards a failing
// endpoint, because the receiver may refuse just that delivery.
const recordAttempts = {
  name: "record_delivery_attempts",
  text: `
    with result as (
      select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::smallint[], $5::timestamptz[], $6::int[],
          $7::smallint[], $8::text[], $9::text[], $10::float8[], $11::float8[], $12::boolean[], $14::boolean[], $15::text[])
        with ordinality as r (delivery_id, client_id, leased_until, attempt, sent_at, duration_ms, response_status, error,
          status, delay_ms, next_probe_ms, is_gone, is_probe, url, position)
    ), locked as (
      select r.* from deliveries d join result r on r.delivery_id = d.id
      where d.id = any ($1::uuid[]) and d.status = 'pending' and d.leased_until_real_at = r.leased_until
        and (r.response_status is not null or d.leased_until_real_at > now())
      order by d.id for no key update of d
    ), recorded as (
      update deliveries d set attempts = r.attempt, status = r.status, leased_until_real_at = null,
        is_due = false, next_attempt_real_at = ${timeAfterText("make_interval(secs => r.delay_ms / 1000)")},
        delivered_at = case when r.status = 'delivered' then ${timeAfterText("c.clock_offset")} end
      from locked r, clients c
      where d.id = r.delivery_id and d.status = 'pending' and c.id = d.client_id
      returning r.*
    ), attempted as (
      insert into delivery_attempts (delivery_id, attempt, sent_real_at, duration_ms, response_status, error)
      select delivery_id, attempt, sent_at, duration_ms, response_status, error from recorded
      on conflict do nothing
    ), endpoint_result as (
      select r.client_id, e.url, bool_or(r.status = 'delivered') as has_success, bool_or(r.is_gone) as is_gone,
        max(r.next_probe_ms) as next_probe_ms, bool_or(r.is_probe) as is_probe,
        count(*) filter (where r.status <> 'delivered') as failures,
        min(r.sent_at) filter (where r.status <> 'delivered') as first_sent_at,
        count(*) filter (where r.status <> 'delivered' and not exists (
          select from delivery_attempts a
          where a.delivery_id = r.delivery_id and a.attempt = r.attempt - 1 and a.sent_real_at >= e.failing_since_real_at
        )) as deliveries
      from recorded r
        -- Naming the clients keeps PostgreSQL from scanning all endpoints for a large batch.
        join webhook_endpoints e on e.client_id = r.client_id and e.client_id = any ($13::text[]) and e.url = r.url
      group by r.client_id, e.url
    ), locked_endpoints as (
      select e.client_id from webhook_endpoints e join endpoint_result r on r.client_id = e.client_id and r.url = e.url
      where e.disabled_at is null and (not r.has_success or r.is_gone or e.failures > 0)
      order by e.client_id for no key update of e
    ), endpoints as (
      update webhook_endpoints e set
        failures = case when r.has_success then 0 else e.failures + r.failures end,
        failing_since = case when not r.has_success then coalesce(e.failing_since, ${timeAfterText("c.clock_offset")}) end,
        failing_since_real_at = case when not r.has_success then coalesce(e.failing_since_real_at, r.first_sent_at) end,
        failed_deliveries = case when r.has_success then 0 else e.failed_deliveries + r.deliveries end,
        probe_real_at = case
          when r.has_success then null
          when e.probe_real_at is not null and not r.is_probe then e.probe_real_at
          when e.probe_real_at is not null or e.failed_deliveries + r.deliveries >= ${limits.endpointFailedDeliveriesMin}
            then ${timeAfterText("r.next_probe_ms * interval '1 millisecond'")} end,
        failed_probes = case
          when r.has_success or e.probe_real_at is null then 0
          else e.failed_probes + r.is_probe::int end,
        disabled_at = case when r.is_gone or not r.has_success and e.failures + r.failures >= ${limits.endpointFailuresMin}
          and e.failing_since <= ${timeAfterText(`(c.clock_offset - interval '${limits.endpointFailureDaysMax} days')`)}
          then ${timeAfterText("c.clock_offset")} end
      from locked_endpoints, endpoint_result r join clients c on c.id = r.client_id
      where e.client_id = locked_endpoints.client_id and r.client_id = e.client_id and e.disabled_at is null
    )
    select position::int from recorded`,
};

// Two attempts of one delivery never start in the same millisecond.
const lockRecorded = {
  name: "lock_recorded_delivery_attempts",
  text: `
    select r.position::int from unnest($1::uuid[], $2::smallint[], $3::timestamptz[]) with ordinality
        as r (delivery_id, attempt, sent_at, position)
      join delivery_attempts a on a.delivery_id = r.delivery_id and a.attempt = r.attempt and a.sent_real_at = r.sent_at
    for key share of a`,
};
