import { type SQL, sql } from "drizzle-orm";
import { type Connection, runPrepared } from "../../kit/postgres.ts";
import { channels } from "./channels.ts";
import type { Db } from "./database.ts";

// Each statement skips locked rows and takes a bounded number. Parking and unparking lock the endpoint, so that no
// delivery is parked after its endpoint has recovered.

/** Parks due deliveries of unusable endpoints, at most `perClientMax` per endpoint, and returns how many. */
export async function parkDeliveries(
  db: Db,
  { clientIds, perClientMax }: { clientIds: string[]; perClientMax: number },
): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with endpoint as (
      select client_id from webhook_endpoints
      where client_id = any (${sql.param(clientIds)}::text[])
        and (url is null or disabled_at is not null or probe_real_at is not null)
      order by client_id for no key update skip locked
    ), due as (
      select due.id from endpoint e cross join lateral (
        select id from deliveries
        where client_id = e.client_id and status = 'pending' and is_due
          and (leased_until_real_at is null or leased_until_real_at <= now())
        order by next_attempt_real_at limit ${perClientMax} for no key update skip locked
      ) due
    ), awaited as (
      update webhook_endpoints e set has_waiting = true
      from endpoint where e.client_id = endpoint.client_id and not e.has_waiting
    )
    update deliveries set is_due = false, next_attempt_real_at = null where id in (select id from due)`);
  return rowCount ?? 0;
}

export type QueueStep = {
  due: number;
  /** Milliseconds until the next delivery or probe is due; undefined if none is scheduled. */
  nextMs: number | undefined;
};

/**
 * Marks deliveries due: the most overdue, up to `fallenDueMax`, and parked ones of recovered endpoints, up to
 * `perClientMax` each.
 */
export async function makeDeliveriesDue(
  connection: Connection,
  { fallenDueMax, endpointsMax, perClientMax }: { fallenDueMax: number; endpointsMax: number; perClientMax: number },
): Promise<QueueStep> {
  const rows = await runPrepared<{ due: number; nextMs: number | null }>(connection, makeDue, [
    fallenDueMax,
    endpointsMax,
    perClientMax,
  ]);
  const { due = 0, nextMs = null } = rows[0] ?? {};
  // Not greatest(), which ignores nulls and would turn "none" into 0.
  return { due, nextMs: nextMs === null ? undefined : Math.max(0, nextMs) };
}

/** A leased delivery, with its endpoint's address and encrypted secrets. */
export type ClaimedDelivery = {
  id: string;
  clientId: string;
  body: string;
  traceId: string;
  /** The end of the lease, which identifies the claim. */
  leasedUntil: string;
  attempts: number;
  url: string;
  secretEncrypted: string;
  /** Null unless a secret was rotated and the previous one is still valid. */
  previousSecretEncrypted: string | null;
  wasSetAside: boolean;
  /** Null if this isn't a probe. */
  failedProbes: number | null;
};

export type ClaimStep = {
  deliveries: ClaimedDelivery[];
  unusableClientIds: string[];
  next: string | undefined;
};

type Claim = {
  after: string;
  batchSize: number;
  perClientMax: number;
  quickClientIds: string[];
  perQuickClientMax: number;
  limitedClients: Map<string, number>;
  leaseSeconds: number;
  busyClientIds: string[];
};

/**
 * Leases due deliveries of the clients after `after`, in order of client id: the oldest `perClientMax` of each client
 * (`perQuickClientMax` for quick ones, its own limit for one in `limitedClients`), and none for busy ones, so that a slow
 * endpoint doesn't delay others.
 */
export async function claimDeliveries(
  db: Db,
  {
    after,
    batchSize,
    perClientMax,
    quickClientIds,
    perQuickClientMax,
    limitedClients,
    leaseSeconds,
    busyClientIds,
  }: Claim,
): Promise<ClaimStep> {
  // Skip-scan over clients, so that one client's large backlog costs the others nothing. Not prepared, because a plan without
  // the values sorts all due deliveries of a client.
  const { rows } = await db.execute<{ visitedId: string; isUsable: boolean; id: string | null } & ClaimedDelivery>(sql`
    with recursive visited (client_id, position) as (
      (select client_id, 1 from deliveries
        where status = 'pending' and is_due and client_id > ${after} order by client_id limit 1)
      union all
      select next.client_id, position + 1 from visited v cross join lateral (
        select d.client_id from deliveries d
        where d.status = 'pending' and d.is_due and d.client_id > v.client_id order by d.client_id limit 1
      ) next
      where position < ${batchSize}
    ), due as materialized (
      select due.id from visited v join webhook_endpoints e on e.client_id = v.client_id
      cross join lateral (
        select d.id from deliveries d
        where d.client_id = v.client_id and d.status = 'pending' and d.is_due and ${isFree}
        order by d.next_attempt_real_at
        limit coalesce(
          (${sql.param([...limitedClients.values()])}::int[])[
            array_position(${sql.param([...limitedClients.keys()])}::text[], v.client_id)],
          case when v.client_id = any (${sql.param(quickClientIds)}::text[]) then ${perQuickClientMax}::int
            else ${perClientMax}::int end)
        for no key update skip locked
      ) due
      where ${isUsable} and ${isNotQuarantined} and e.client_id <> all (${sql.param(busyClientIds)}::text[])
      order by v.client_id limit ${batchSize}
    ), claimed as (
      -- An array of ids makes PostgreSQL use the index regardless of the estimated row count.
      update deliveries d set leased_until_real_at = now() + make_interval(secs => ${leaseSeconds})
      from webhook_endpoints e join clients c on c.id = e.client_id
      where d.id = any (array(select id from due)) and e.client_id = d.client_id and ${isUsable}
      returning ${claimedColumns(sql`null::int`)}
    )
    select v.client_id as "visitedId", ${isUsable} as "isUsable", claimed.*
    from visited v left join webhook_endpoints e on e.client_id = v.client_id
    left join claimed on claimed."clientId" = v.client_id
    where ${unsynced} is not null
    order by v.client_id`);
  const deliveries = rows.filter(({ id }) => id !== null);
  const isCut = deliveries.length === batchSize;
  return {
    deliveries,
    unusableClientIds: rows.filter((row) => !row.isUsable).map(({ visitedId }) => visitedId),
    next:
      isCut || new Set(rows.map(({ visitedId }) => visitedId)).size === batchSize
        ? (isCut ? deliveries : rows).at(-1)?.visitedId
        : undefined,
  };
}

/** Leases one parked delivery of each endpoint whose probe is due. */
export async function claimProbes(
  db: Db,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.execute<ClaimedDelivery>(sql`
    with endpoint as (
      select e.client_id from webhook_endpoints e
      where e.has_waiting and e.probe_real_at <= now() and e.url is not null and e.disabled_at is null
        and ${isNotQuarantined}
      order by e.probe_real_at limit ${limit} for no key update skip locked
    ), locked as (
      select waiting.id from endpoint e cross join lateral (
        select d.id from deliveries d
        where d.client_id = e.client_id and d.status = 'pending' and d.next_attempt_real_at is null and ${isFree}
        order by d.attempts, d.id limit 1 for no key update skip locked
      ) waiting
    ), claimed as (
      update deliveries d set leased_until_real_at = now() + make_interval(secs => ${leaseSeconds})
      from locked, webhook_endpoints e join clients c on c.id = e.client_id
      where d.id = locked.id and e.client_id = d.client_id
      returning ${claimedColumns(sql`e.failed_probes`)}
    ), postponed as (
      update webhook_endpoints e set has_waiting = now_waiting.is_any,
        probe_real_at = case when now_waiting.is_any then now() + make_interval(secs => ${leaseSeconds})
          else e.probe_real_at end
      from endpoint cross join lateral (
        select exists (
          select from deliveries d
          where d.client_id = endpoint.client_id and d.status = 'pending' and d.next_attempt_real_at is null
        ) as is_any
      ) now_waiting
      where e.client_id = endpoint.client_id
    )
    select * from claimed`);
  return rows;
}

/** Releases an unattempted delivery, unless another process has claimed it since, and wakes the senders. */
export async function releaseDelivery(
  db: Db,
  { id, clientId, leasedUntil, failedProbes }: ClaimedDelivery,
): Promise<void> {
  await db.execute(sql`
    with released as (
      update deliveries set leased_until_real_at = null
      where id = ${id} and status = 'pending' and leased_until_real_at = ${leasedUntil}::timestamptz returning id
    ), probed_again as (
      update webhook_endpoints set probe_real_at = now() from released
      where client_id = ${clientId} and probe_real_at is not null and ${failedProbes !== null}
    )
    select pg_notify(${channels.deliveries}, current_schema()) from released`);
}

// Safe to lose when the database crashes: the webhook is sent again, as after its worker crashes.
const unsynced = sql`(select set_config('synchronous_commit', 'off', true))`;

const isNotLeased = sql`(d.leased_until_real_at is null or d.leased_until_real_at <= now())`;

const isFree = sql`${isNotLeased} and not exists (
  select from quarantine q where q.kind = 'delivery' and q.id = d.id::text and q.retry_real_at > now())`;

const isUsable = sql`(e.url is not null and e.disabled_at is null and e.probe_real_at is null)`;

const isNotQuarantinedText = `not exists (
  select from quarantine q where q.kind = 'webhook_endpoint' and q.id = e.client_id and q.retry_real_at > now())`;

const isNotQuarantined = sql.raw(isNotQuarantinedText);

const claimedColumns = (failedProbes: SQL) => sql`
  d.id, d.client_id as "clientId", d.body, d.trace_id as "traceId",
  d.leased_until_real_at::text as "leasedUntil", d.attempts, e.url,
  e.secret_encrypted as "secretEncrypted",
  case when e.previous_secret_expires_at > now() + c.clock_offset then e.previous_secret_encrypted end
    as "previousSecretEncrypted",
  exists (
    select from quarantine q
    where q.kind = 'delivery' and q.id = d.id::text or q.kind = 'webhook_endpoint' and q.id = d.client_id
  ) as "wasSetAside",
  ${failedProbes} as "failedProbes"`;

const makeDue = {
  name: "make_deliveries_due",
  text: `
    with fallen_due as (
      update deliveries set is_due = true where id = any (array(
        select id from deliveries
        where status = 'pending' and not is_due and next_attempt_real_at <= now()
        order by next_attempt_real_at limit $1 for no key update skip locked))
      returning id
    ), endpoint as (
      select client_id from webhook_endpoints
      where has_waiting and probe_real_at is null and url is not null and disabled_at is null
      order by client_id limit $2 for no key update skip locked
    ), waiting as (
      select waiting.id from endpoint e
      cross join lateral (
        select count(*) as due from (
          select from deliveries where client_id = e.client_id and status = 'pending' and is_due limit $3
        ) found
      ) already
      cross join lateral (
        select id from deliveries
        where client_id = e.client_id and status = 'pending' and next_attempt_real_at is null
        order by attempts, id limit $3 - already.due for no key update skip locked
      ) waiting
    ), revived as (
      update deliveries d set is_due = true, next_attempt_real_at = now() from waiting where d.id = waiting.id
      returning d.id
    ), all_revived as (
      update webhook_endpoints e set has_waiting = false from endpoint
      where e.client_id = endpoint.client_id and not exists (
        select from deliveries d
        where d.client_id = endpoint.client_id and d.status = 'pending' and d.next_attempt_real_at is null
          and d.id not in (select id from waiting))
    )
    select (select count(*) from fallen_due)::int + (select count(*) from revived)::int as due,
      (extract(epoch from least(
        (select next_attempt_real_at from deliveries
          where status = 'pending' and not is_due and next_attempt_real_at is not null
          order by next_attempt_real_at limit 1),
        (select e.probe_real_at from webhook_endpoints e
          where e.has_waiting and e.probe_real_at is not null and e.url is not null and e.disabled_at is null
            and ${isNotQuarantinedText}
          order by e.probe_real_at limit 1)
      ) - now()) * 1000)::float8 as "nextMs"`,
};

export type OutboxBacklog = { depth: number; oldestSeconds: number };

/** Deliveries that wait for a retry or a failing endpoint don't count. */
export async function readOutboxBacklog(db: Db): Promise<OutboxBacklog> {
  const { rows } = await db.execute<OutboxBacklog>(sql`
    with due as (
      select client_id, next_attempt_real_at as at from deliveries where status = 'pending' and is_due
      union all
      select client_id, next_attempt_real_at from deliveries
      where status = 'pending' and not is_due and next_attempt_real_at <= now()
    ), of_clients as (
      select client_id, count(*) as depth, min(at) as oldest from due group by client_id
    )
    select coalesce(sum(depth), 0)::int as depth,
      coalesce(extract(epoch from now() - min(oldest)), 0)::float8 as "oldestSeconds"
    from of_clients d
    where (
      select e.url is not null and e.disabled_at is null and e.probe_real_at is null from webhook_endpoints e
      where e.client_id = d.client_id)`);
  return rows[0] ?? { depth: 0, oldestSeconds: 0 };
}

/** The encryption context of an endpoint's secrets. */
export function webhookSecretContext(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}
