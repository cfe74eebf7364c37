import { limits } from "../../contract/limits.ts";
import { type Connection, runPrepared } from "./prepared.ts";

/** What came of one attempt. `delayMs` until the next one; null when it was delivered or was the last. */
export type AttemptResult = {
  deliveryId: string;
  clientId: string;
  /** The claim under which it was made (`ClaimedDelivery`). */
  leasedUntil: string;
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

/**
 * Writes a set of attempts down, what is next for each delivery, and how their endpoints are doing: whether they fail as a
 * whole, so that they are probed only, `firstProbeMs` from now at first; and disables those that are to get no more (Decision
 * D14). Returns those that count, of this same set: not an attempt under a claim that has passed to another, nor a missing
 * answer after the claim's end. A transaction by itself. Locks the deliveries in the order of their ids, then endpoints in the
 * order of their clients.
 */
export async function recordDeliveryAttempts(
  connection: Connection,
  results: AttemptResult[],
  { firstProbeMs }: { firstProbeMs: number },
): Promise<AttemptResult[]> {
  const counted = await runPrepared<{ place: number }>(connection, recordAttempts, [
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
    results.map(({ nextProbeMs }) => nextProbeMs ?? null),
    results.map(({ isGone }) => isGone),
    [...new Set(results.map(({ clientId }) => clientId))],
    firstProbeMs,
  ]);
  return atPlaces(results, counted);
}

/** Those of a set of attempts that were written down, whichever statement did it. */
export async function lockRecordedAttempts(connection: Connection, results: AttemptResult[]): Promise<AttemptResult[]> {
  const found = await runPrepared<{ place: number }>(connection, lockRecorded, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ attempt }) => attempt),
    results.map(({ sentAt }) => sentAt),
  ]);
  return atPlaces(results, found);
}

function atPlaces(results: AttemptResult[], found: { place: number }[]): AttemptResult[] {
  const places = new Set(found.map(({ place }) => place));
  return results.filter((_, index) => places.has(index + 1));
}

// A failure counts only while nothing succeeds; and of several of one delivery only the first tells something new of the
// endpoint, because it may be that delivery which is refused.
const recordAttempts = {
  name: "record_delivery_attempts",
  text: `
    with result as (
      select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::smallint[], $5::timestamptz[], $6::int[],
          $7::smallint[], $8::text[], $9::text[], $10::float8[], $11::float8[], $12::boolean[]) with ordinality
        as r (delivery_id, client_id, leased_until, attempt, sent_at, duration_ms, response_status, error, status, delay_ms,
          next_probe_ms, is_gone, place)
    ), locked as (
      select r.* from deliveries d join result r on r.delivery_id = d.id
      where d.id = any ($1::uuid[]) and d.status = 'pending' and d.leased_until_real_at = r.leased_until
        and (r.response_status is not null or d.leased_until_real_at > now())
      order by d.id for no key update of d
    ), recorded as (
      update deliveries d set attempts = r.attempt, status = r.status, leased_until_real_at = null,
        is_due = false, next_attempt_real_at = now() + make_interval(secs => r.delay_ms / 1000),
        delivered_at = case when r.status = 'delivered' then now() + c.clock_offset end
      from locked r, clients c
      where d.id = r.delivery_id and d.status = 'pending' and c.id = d.client_id
      returning r.*
    ), attempted as (
      insert into delivery_attempts (delivery_id, attempt, sent_real_at, duration_ms, response_status, error)
      select delivery_id, attempt, sent_at, duration_ms, response_status, error from recorded
      on conflict do nothing
    ), endpoint_result as (
      select r.client_id, bool_or(r.status = 'delivered') as has_success, bool_or(r.is_gone) as is_gone,
        max(r.next_probe_ms) as next_probe_ms, count(*) filter (where r.status <> 'delivered') as failures,
        min(r.sent_at) filter (where r.status <> 'delivered') as first_sent_at,
        count(*) filter (where r.status <> 'delivered' and not exists (
          select from delivery_attempts a
          where a.delivery_id = r.delivery_id and a.attempt = r.attempt - 1 and a.sent_real_at >= e.failing_since_real_at
        )) as deliveries
      from recorded r
        -- By name: for as many attempts as these PostgreSQL would read all endpoints instead.
        join webhook_endpoints e on e.client_id = r.client_id and e.client_id = any ($13::text[])
      group by r.client_id
    ), locked_endpoints as (
      select e.client_id from webhook_endpoints e join endpoint_result r on r.client_id = e.client_id
      where e.disabled_at is null and (not r.has_success or r.is_gone or e.failures > 0)
      order by e.client_id for no key update of e
    ), endpoints as (
      update webhook_endpoints e set
        failures = case when r.has_success then 0 else e.failures + r.failures end,
        failing_since = case when not r.has_success then coalesce(e.failing_since, now() + c.clock_offset) end,
        failing_since_real_at = case when not r.has_success then coalesce(e.failing_since_real_at, r.first_sent_at) end,
        failed_deliveries = case when r.has_success then 0 else e.failed_deliveries + r.deliveries end,
        probe_real_at = case
          when r.has_success then null
          when e.probe_real_at is not null
            then coalesce(now() + r.next_probe_ms * interval '1 millisecond', e.probe_real_at)
          when e.failed_deliveries + r.deliveries >= ${limits.endpointFailedDeliveriesMin}
            then now() + $14 * interval '1 millisecond' end,
        failed_probes = case
          when r.has_success or e.probe_real_at is null then 0
          else e.failed_probes + (r.next_probe_ms is not null)::int end,
        disabled_at = case when r.is_gone or not r.has_success and e.failures + r.failures >= ${limits.endpointFailuresMin}
          and e.failing_since <= now() + c.clock_offset - interval '${limits.endpointFailureDaysMax} days'
          then now() + c.clock_offset end
      from locked_endpoints, endpoint_result r join clients c on c.id = r.client_id
      where e.client_id = locked_endpoints.client_id and r.client_id = e.client_id and e.disabled_at is null
    )
    select place::int from recorded`,
};

// No two attempts at one delivery begin in the same moment.
const lockRecorded = {
  name: "lock_recorded_delivery_attempts",
  text: `
    select r.place::int from unnest($1::uuid[], $2::smallint[], $3::timestamptz[]) with ordinality
        as r (delivery_id, attempt, sent_at, place)
      join delivery_attempts a on a.delivery_id = r.delivery_id and a.attempt = r.attempt and a.sent_real_at = r.sent_at
    for key share of a`,
};
