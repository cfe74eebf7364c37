import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { inPreparedTransaction, runPrepared } from "./prepared.ts";

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
      select d.id, d.client_id, d.next_attempt_at
      from deliveries d join clients c on c.id = d.client_id join webhook_endpoints e on e.client_id = d.client_id
      where d.status = 'pending' and d.next_attempt_at <= now() + c.clock_offset
        and e.url is not null and e.disabled_at is null
        and (d.leased_until_real_at is null or d.leased_until_real_at <= now())
        and d.client_id <> all (${sql.param(busyClientIds)}::text[])
      order by d.next_attempt_at
      limit ${batchSize * 4}
    ), chosen as (
      select id from (
        select id, next_attempt_at, row_number() over (partition by client_id order by next_attempt_at, id) as place from due
      ) placed
      where place <= ${perClientMax}
      order by next_attempt_at
      limit ${batchSize}
    ), locked as (
      select id from deliveries
      where id in (select id from chosen) and status = 'pending'
        and (leased_until_real_at is null or leased_until_real_at <= now())
      for no key update skip locked
    )
    update deliveries d set leased_until_real_at = now() + make_interval(secs => ${leaseSeconds})
    from locked, webhook_endpoints e join clients c on c.id = e.client_id
    where d.id = locked.id and e.client_id = d.client_id and e.url is not null and e.disabled_at is null
    returning d.id, d.client_id as "clientId", d.body, d.trace_id as "traceId", d.attempts, e.url,
      e.secret_encrypted as "secretEncrypted",
      case when e.previous_secret_expires_at > now() + c.clock_offset then e.previous_secret_encrypted end
        as "previousSecretEncrypted"`);
  return rows;
}

/** Gives a claimed delivery back unattempted and tells the senders, so that nobody has to wait for its lease to end. */
export async function releaseDelivery(db: Db, deliveryId: string): Promise<void> {
  await db.execute(sql`
    with released as (
      update deliveries set leased_until_real_at = null where id = ${deliveryId} and status = 'pending' returning id
    )
    select pg_notify('service_deliveries', '') from released`);
}

/** Milliseconds until the next delivery can be claimed, not below 0, busy clients left out; undefined when none waits. */
export async function findNextDeliveryMs(db: Db, busyClientIds: string[]): Promise<number | undefined> {
  const { rows } = await db.execute<{ waitMs: number | null }>(sql`
    select (extract(epoch from min(greatest(d.next_attempt_at - c.clock_offset, d.leased_until_real_at)) - now())
      * 1000)::float8 as "waitMs"
    from deliveries d join clients c on c.id = d.client_id join webhook_endpoints e on e.client_id = d.client_id
    where d.status = 'pending' and d.next_attempt_at is not null and e.url is not null and e.disabled_at is null
      and d.client_id <> all (${sql.param(busyClientIds)}::text[])`);
  const waitMs = rows[0]?.waitMs;
  return waitMs == null ? undefined : Math.max(0, waitMs);
}

/** Lets deliveries that were written while their client had no working endpoint be sent now that it has one. */
export async function reviveWaitingDeliveries(db: Db): Promise<void> {
  await db.execute(sql`
    update deliveries d set next_attempt_at = now() + c.clock_offset
    from webhook_endpoints e join clients c on c.id = e.client_id
    where d.client_id = e.client_id and e.url is not null and e.disabled_at is null
      and d.status = 'pending' and d.next_attempt_at is null`);
}

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

/** Writes a set of attempts down: the attempts, what is next for each delivery, and how its endpoint is doing. */
export function recordAttempts(results: AttemptResult[]): Promise<undefined[]> {
  return inPreparedTransaction(async (connection) => {
    const values = [
      results.map(({ deliveryId }) => deliveryId),
      results.map(({ attempt }) => attempt),
      results.map(({ sentAt }) => sentAt),
      results.map(({ durationMs }) => durationMs),
      results.map(({ responseStatus }) => responseStatus),
      results.map(({ error }) => error),
      results.map(({ status }) => status),
      results.map(({ delayMs }) => delayMs),
    ];
    await runPrepared(connection, insertAttempts, values);
    const clientIds = [...new Set(results.map(({ clientId }) => clientId))].sort();
    const of = (clientId: string) => results.filter((result) => result.clientId === clientId);
    await runPrepared(connection, updateEndpoints, [
      clientIds,
      clientIds.map((id) => of(id).some(({ status }) => status === "delivered")),
      clientIds.map((id) => of(id).filter(({ status }) => status !== "delivered").length),
      clientIds.map((id) => of(id).some(({ isGone }) => isGone)),
    ]);
    return results.map(() => undefined);
  });
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
    )
    update deliveries d set attempts = greatest(d.attempts, r.attempt), status = r.status, leased_until_real_at = null,
      next_attempt_at = now() + c.clock_offset + make_interval(secs => r.delay_ms / 1000),
      delivered_at = case when r.status = 'delivered' then now() + c.clock_offset end
    from result r, clients c
    where d.id = r.delivery_id and d.status = 'pending' and c.id = d.client_id`,
};

// A failure counts only while nothing succeeds. Disabled after 5 days of nothing but failures over at least 5 attempts, or
// at once by a 410 (Decision D14); what is pending then waits for another address.
const updateEndpoints = {
  name: "update_webhook_endpoints",
  text: `
    with result as (
      select * from unnest($1::text[], $2::boolean[], $3::int[], $4::boolean[])
        as r (client_id, has_success, failures, is_gone)
    ), judged as (
      update webhook_endpoints e set
        failures = case when r.has_success then 0 else e.failures + r.failures end,
        failing_since = case when not r.has_success then coalesce(e.failing_since, now() + c.clock_offset) end,
        disabled_at = case when r.is_gone or not r.has_success and e.failures + r.failures >= 5
          and e.failing_since <= now() + c.clock_offset - interval '5 days' then now() + c.clock_offset end
      from result r join clients c on c.id = r.client_id
      where e.client_id = r.client_id and e.disabled_at is null
        and (not r.has_success or r.is_gone or e.failures > 0)
      returning e.client_id, e.disabled_at
    )
    update deliveries d set next_attempt_at = null
    from judged j where j.disabled_at is not null and d.client_id = j.client_id and d.status = 'pending'`,
};
