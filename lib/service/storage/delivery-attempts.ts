import { limits } from "../../contract/limits.ts";
import { type Connection, runPrepared } from "./prepared.ts";

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
  /** When it was a probe that failed: milliseconds until its endpoint is probed again. */
  nextProbeMs: number | undefined;
  /** The receiver said that it wants no more (410). */
  isGone: boolean;
};

/** How an endpoint did in a set of attempts. */
export type EndpointResult = {
  clientId: string;
  hasSuccess: boolean;
  failed: { deliveryId: string; attempt: number; sentAt: Date }[];
  isGone: boolean;
  /** How long after now it is probed again, should one of these have been a probe that failed. */
  nextProbeMs: number | undefined;
};

/**
 * Writes a set of attempts down, what is next for each delivery, and how their endpoints are doing: whether they fail as a
 * whole, so that they are probed only, `firstProbeMs` from now at first; and disables those that are to get no more (Decision
 * D14). A transaction by itself. Locks the deliveries in the order of their ids, then endpoints in the order of their clients.
 */
export async function recordDeliveryAttempts(
  connection: Connection,
  results: AttemptResult[],
  { endpoints, firstProbeMs }: { endpoints: EndpointResult[]; firstProbeMs: number },
): Promise<void> {
  const failed = endpoints.flatMap(({ clientId, failed }) => failed.map((attempt) => ({ clientId, ...attempt })));
  await runPrepared(connection, recordAttempts, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ attempt }) => attempt),
    results.map(({ sentAt }) => sentAt),
    results.map(({ durationMs }) => durationMs),
    results.map(({ responseStatus }) => responseStatus),
    results.map(({ error }) => error),
    results.map(({ status }) => status),
    results.map(({ delayMs }) => delayMs),
    endpoints.map(({ clientId }) => clientId),
    endpoints.map(({ hasSuccess }) => hasSuccess),
    endpoints.map(({ isGone }) => isGone),
    endpoints.map(({ nextProbeMs }) => nextProbeMs ?? null),
    failed.map(({ clientId }) => clientId),
    failed.map(({ deliveryId }) => deliveryId),
    failed.map(({ attempt }) => attempt),
    failed.map(({ sentAt }) => sentAt),
    firstProbeMs,
  ]);
}

/** Whether this set of attempts was written down, whichever statement did it: all of it or nothing. */
export async function areAttemptsRecorded(connection: Connection, results: AttemptResult[]): Promise<boolean> {
  const [found] = await runPrepared<{ areRecorded: boolean }>(connection, findRecorded, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ attempt }) => attempt),
    results.map(({ sentAt }) => sentAt),
  ]);
  return found?.areRecorded === true;
}

// A failure counts only while nothing succeeds; and of several of one delivery only the first tells something new of the
// endpoint, because it may be that delivery which is refused.
const recordAttempts = {
  name: "record_delivery_attempts",
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
    ), recorded as (
      update deliveries d set attempts = greatest(d.attempts, r.attempt), status = r.status, leased_until_real_at = null,
        is_due = false, next_attempt_real_at = now() + make_interval(secs => r.delay_ms / 1000),
        delivered_at = case when r.status = 'delivered' then now() + c.clock_offset end
      from locked, result r, clients c
      where d.id = locked.id and r.delivery_id = d.id and d.status = 'pending' and c.id = d.client_id
      returning 1
    ), failed as (
      select f.client_id, count(*) as failures, min(f.sent_at) as first_sent_at,
        count(*) filter (where not exists (
          select from delivery_attempts a
          where a.delivery_id = f.delivery_id and a.attempt = f.attempt - 1 and a.sent_real_at >= e.failing_since_real_at
        )) as deliveries
      from unnest($13::text[], $14::uuid[], $15::smallint[], $16::timestamptz[])
          as f (client_id, delivery_id, attempt, sent_at)
        -- By name: for as many attempts as these PostgreSQL would read all endpoints instead.
        join webhook_endpoints e on e.client_id = f.client_id and e.client_id = any ($9::text[])
      group by f.client_id
    ), endpoint_result as (
      select r.*, coalesce(f.failures, 0) as failures, coalesce(f.deliveries, 0) as deliveries, f.first_sent_at
      from unnest($9::text[], $10::boolean[], $11::boolean[], $12::float8[])
          as r (client_id, has_success, is_gone, next_probe_ms)
        left join failed f on f.client_id = r.client_id
    ), locked_endpoints as (
      select e.client_id from webhook_endpoints e join endpoint_result r on r.client_id = e.client_id
      where e.disabled_at is null and (not r.has_success or r.is_gone or e.failures > 0)
        -- Asking for the count makes PostgreSQL lock the deliveries first.
        and (select count(*) from recorded) >= 0
      order by e.client_id for no key update of e
    )
    update webhook_endpoints e set
      failures = case when r.has_success then 0 else e.failures + r.failures end,
      failing_since = case when not r.has_success then coalesce(e.failing_since, now() + c.clock_offset) end,
      failing_since_real_at = case when not r.has_success then coalesce(e.failing_since_real_at, r.first_sent_at) end,
      failed_deliveries = case when r.has_success then 0 else e.failed_deliveries + r.deliveries end,
      probe_real_at = case
        when r.has_success then null
        when e.probe_real_at is not null then coalesce(now() + r.next_probe_ms * interval '1 millisecond', e.probe_real_at)
        when e.failed_deliveries + r.deliveries >= ${limits.endpointFailedDeliveriesMin}
          then now() + $17 * interval '1 millisecond' end,
      failed_probes = case
        when r.has_success or e.probe_real_at is null then 0
        else e.failed_probes + (r.next_probe_ms is not null)::int end,
      disabled_at = case when r.is_gone or not r.has_success and e.failures + r.failures >= ${limits.endpointFailuresMin}
        and e.failing_since <= now() + c.clock_offset - interval '${limits.endpointFailureDaysMax} days'
        then now() + c.clock_offset end
    from locked_endpoints, endpoint_result r join clients c on c.id = r.client_id
    where e.client_id = locked_endpoints.client_id and r.client_id = e.client_id and e.disabled_at is null`,
};

// No two attempts at one delivery begin in the same moment, so one of them tells of its whole set.
const findRecorded = {
  name: "find_recorded_delivery_attempts",
  text: `
    select exists (
      select from unnest($1::uuid[], $2::smallint[], $3::timestamptz[]) as r (delivery_id, attempt, sent_at)
        join delivery_attempts a on a.delivery_id = r.delivery_id and a.attempt = r.attempt
          and a.sent_real_at = r.sent_at
    ) as "areRecorded"`,
};
