import { sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { channels } from "./channels.ts";
import type { Db } from "./database.ts";
import { type Connection, runPrepared } from "./prepared.ts";

/** A delivery that this process may attempt now, with the place and the secrets it needs. */
export type ClaimedDelivery = {
  id: string;
  clientId: string;
  body: string;
  traceId: string;
  /** How many attempts there were before. */
  attempts: number;
  url: string;
  secretEncrypted: string;
  /** Null unless a secret is being rotated and the previous one still counts. */
  previousSecretEncrypted: string | null;
  /** Whether it, or its endpoint, could not be dealt with before. */
  wasSetAside: boolean;
};

/**
 * Takes due deliveries, the longest waiting first, at most `perClientMax` of each client and none of a busy one, so that a
 * slow endpoint delays no other. A process that dies with them loses them when the lease ends, in real time.
 */
export async function claimDeliveries(
  db: Db,
  claim: { batchSize: number; perClientMax: number; leaseSeconds: number; busyClientIds: string[] },
): Promise<ClaimedDelivery[]> {
  const { batchSize, perClientMax, leaseSeconds, busyClientIds } = claim;
  const { rows } = await db.execute<ClaimedDelivery>(sql`
    with due as (
      select due.id
      from webhook_endpoints e join clients c on c.id = e.client_id
      cross join lateral (
        select d.id, d.next_attempt_at from deliveries d
        where ${isClaimable} and d.next_attempt_at <= now() + c.clock_offset
        order by d.next_attempt_at limit ${perClientMax}
      ) due
      where ${isEndpointUsable(busyClientIds)}
      order by due.next_attempt_at
      limit ${batchSize}
    ), locked as (
      select id from deliveries
      where id in (select id from due) and status = 'pending'
        and (leased_until_real_at is null or leased_until_real_at <= now())
      for no key update skip locked
    )
    update deliveries d set leased_until_real_at = now() + make_interval(secs => ${leaseSeconds})
    from locked, webhook_endpoints e join clients c on c.id = e.client_id
    where d.id = locked.id and e.client_id = d.client_id and e.url is not null and e.disabled_at is null
    returning d.id, d.client_id as "clientId", d.body, d.trace_id as "traceId", d.attempts, e.url,
      e.secret_encrypted as "secretEncrypted",
      case when e.previous_secret_expires_at > now() + c.clock_offset then e.previous_secret_encrypted end
        as "previousSecretEncrypted",
      exists (
        select from quarantine q
        where q.kind = 'delivery' and q.id = d.id::text or q.kind = 'webhook_endpoint' and q.id = d.client_id
      ) as "wasSetAside"`);
  return rows;
}

/** Gives a claimed delivery back unattempted and tells the senders, so that nobody has to wait for its lease to end. */
export async function releaseDelivery(db: Db, deliveryId: string): Promise<void> {
  await db.execute(sql`
    with released as (
      update deliveries set leased_until_real_at = null where id = ${deliveryId} and status = 'pending' returning id
    )
    select pg_notify(${channels.deliveries}, '') from released`);
}

/**
 * Milliseconds until the next delivery falls due, not below 0, leaving out busy clients and what is leased or set aside;
 * undefined when none waits.
 */
export async function findNextDeliveryMs(db: Db, busyClientIds: string[]): Promise<number | undefined> {
  const { rows } = await db.execute<{ waitMs: number | null }>(sql`
    select (extract(epoch from min(next.next_attempt_at - c.clock_offset) - now()) * 1000)::float8 as "waitMs"
    from webhook_endpoints e join clients c on c.id = e.client_id
    cross join lateral (
      select d.next_attempt_at from deliveries d
      where ${isClaimable} and d.next_attempt_at is not null order by d.next_attempt_at limit 1
    ) next
    where ${isEndpointUsable(busyClientIds)}`);
  const waitMs = rows[0]?.waitMs;
  return waitMs == null ? undefined : Math.max(0, waitMs);
}

/**
 * Lets deliveries that wait for a working endpoint be sent now that there is one, at most `limit`; returns how many. Those
 * that somebody else holds are left for the next time.
 */
export async function reviveWaitingDeliveries(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update deliveries d set next_attempt_at = now() + c.clock_offset
    from clients c
    where c.id = d.client_id and d.id = any (array(
      select waiting.id from webhook_endpoints e
      cross join lateral (
        select id from deliveries
        where client_id = e.client_id and status = 'pending' and next_attempt_at is null
        limit ${limit} for no key update skip locked
      ) waiting
      where e.url is not null and e.disabled_at is null
      limit ${limit}))`);
  return rowCount ?? 0;
}

/** Lets deliveries of an endpoint that does not work any more wait for one that does; otherwise the same. */
export async function parkDeliveries(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update deliveries set next_attempt_at = null where id = any (array(
      select due.id from webhook_endpoints e
      cross join lateral (
        select id from deliveries
        where client_id = e.client_id and status = 'pending' and next_attempt_at is not null
        limit ${limit} for no key update skip locked
      ) due
      where e.url is null or e.disabled_at is not null
      limit ${limit}))`);
  return rowCount ?? 0;
}

const isClaimable = sql`d.client_id = e.client_id and d.status = 'pending'
  and (d.leased_until_real_at is null or d.leased_until_real_at <= now())
  and not exists (
    select from quarantine q where q.kind = 'delivery' and q.id = d.id::text and q.retry_real_at > now())`;

const isEndpointUsable = (busyClientIds: string[]) => sql`e.url is not null and e.disabled_at is null
  and e.client_id <> all (${sql.param(busyClientIds)}::text[])
  and not exists (
    select from quarantine q where q.kind = 'webhook_endpoint' and q.id = e.client_id and q.retry_real_at > now())`;

/** What came of one attempt. `delayMs` until the next one; null when it was delivered or was the last. */
export type AttemptResult = {
  deliveryId: string;
  clientId: string;
  attempt: number;
  sentAt: Date;
  durationMs: number;
  responseStatus: number | null;
  error: string | null;
  status: "delivered" | "pending" | "failed";
  delayMs: number | null;
  /** The receiver said that it wants no more (410). */
  isGone: boolean;
};

/** Writes a set of attempts down, and what is next for each delivery. Locks the deliveries in the order of their ids. */
export async function insertDeliveryAttempts(connection: Connection, results: AttemptResult[]): Promise<void> {
  await runPrepared(connection, insertAttempts, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ attempt }) => attempt),
    results.map(({ sentAt }) => sentAt),
    results.map(({ durationMs }) => durationMs),
    results.map(({ responseStatus }) => responseStatus),
    results.map(({ error }) => error),
    results.map(({ status }) => status),
    results.map(({ delayMs }) => delayMs),
  ]);
}

const insertAttempts = {
  name: "insert_delivery_attempts",
  text: `
    with result as (
      select * from unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::int[], $5::smallint[], $6::text[],
          $7::text[], $8::float8[])
        as r (delivery_id, attempt, sent_at, duration_ms, response_status, error, status, delay_ms)
    ), attempted as (
      insert into delivery_attempts (delivery_id, attempt, sent_real_at, duration_ms, response_status, error)
      select delivery_id, attempt, sent_at, duration_ms, response_status, error from result
      on conflict do nothing
    ), locked as (
      select id from deliveries where id = any ($1::uuid[]) and status = 'pending' order by id for no key update
    )
    update deliveries d set attempts = greatest(d.attempts, r.attempt), status = r.status, leased_until_real_at = null,
      next_attempt_at = now() + c.clock_offset + make_interval(secs => r.delay_ms / 1000),
      delivered_at = case when r.status = 'delivered' then now() + c.clock_offset end
    from locked, result r, clients c
    where d.id = locked.id and r.delivery_id = d.id and d.status = 'pending' and c.id = d.client_id`,
};

/** How an endpoint did in a set of attempts. */
export type EndpointResult = { clientId: string; hasSuccess: boolean; failures: number; isGone: boolean };

/**
 * Keeps how endpoints are doing, and disables those that are to get no more (Decision D14). Locks them in the order of their
 * clients and touches no delivery: whoever writes an attempt down holds deliveries and waits for this.
 */
export async function updateEndpointHealth(connection: Connection, results: EndpointResult[]): Promise<void> {
  await runPrepared(connection, updateEndpoints, [
    results.map(({ clientId }) => clientId),
    results.map(({ hasSuccess }) => hasSuccess),
    results.map(({ failures }) => failures),
    results.map(({ isGone }) => isGone),
  ]);
}

// A failure counts only while nothing succeeds.
const updateEndpoints = {
  name: "update_webhook_endpoints",
  text: `
    with result as (
      select * from unnest($1::text[], $2::boolean[], $3::int[], $4::boolean[])
        as r (client_id, has_success, failures, is_gone)
    ), locked as (
      select e.client_id from webhook_endpoints e join result r on r.client_id = e.client_id
      where e.disabled_at is null and (not r.has_success or r.is_gone or e.failures > 0)
      order by e.client_id for no key update of e
    )
    update webhook_endpoints e set
      failures = case when r.has_success then 0 else e.failures + r.failures end,
      failing_since = case when not r.has_success then coalesce(e.failing_since, now() + c.clock_offset) end,
      disabled_at = case when r.is_gone or not r.has_success and e.failures + r.failures >= ${limits.endpointFailuresMin}
        and e.failing_since <= now() + c.clock_offset - interval '${limits.endpointFailureDaysMax} days'
        then now() + c.clock_offset end
    from locked, result r join clients c on c.id = r.client_id
    where e.client_id = locked.client_id and r.client_id = e.client_id and e.disabled_at is null`,
};
