import { type SQL, sql } from "drizzle-orm";
import { channels } from "./channels.ts";
import type { Db } from "./database.ts";

/** A delivery that this process may attempt now, with the place and the secrets it needs. */
export type ClaimedDelivery = {
  id: string;
  clientId: string;
  body: string;
  traceId: string;
  /** The end of the lease, which names this claim and no other: what is written down under it must still find it. */
  leasedUntil: string;
  /** How many attempts there were before. */
  attempts: number;
  url: string;
  secretEncrypted: string;
  /** Null unless a secret is being rotated and the previous one still counts. */
  previousSecretEncrypted: string | null;
  /** Whether it, or its endpoint, could not be dealt with before. */
  wasSetAside: boolean;
  /** How many probes of its endpoint failed before this one; null when its endpoint does not fail as a whole. */
  failedProbes: number | null;
};

/** What one step along the clients with due deliveries came to. */
export type ClaimStep = {
  deliveries: ClaimedDelivery[];
  /** Those whose endpoint does not work, so that their deliveries are to wait. */
  unusableClientIds: string[];
  /** Where the next step begins; undefined after the last client. */
  next: string | undefined;
};

/**
 * Takes due deliveries of the clients after `after`, in the order of their ids: at most `perClientMax` of each
 * (`perQuickClientMax` of a quick one), its longest waiting ones, and none of a busy client, so that a slow endpoint delays no other. A process that dies with them loses them
 * when the lease ends, in real time.
 */
export async function claimDeliveries(
  db: Db,
  claim: {
    after: string;
    batchSize: number;
    perClientMax: number;
    quickClientIds: string[];
    perQuickClientMax: number;
    leaseSeconds: number;
    busyClientIds: string[];
  },
): Promise<ClaimStep> {
  const { after, batchSize, perClientMax, quickClientIds, perQuickClientMax, leaseSeconds, busyClientIds } = claim;
  // From one client that has something due to the next, past all that it has: whatever one has, it costs the others nothing.
  const { rows } = await db.execute<{ visitedId: string; isUsable: boolean; id: string | null } & ClaimedDelivery>(sql`
    with recursive visited (client_id, place) as (
      (select client_id, 1 from deliveries
        where status = 'pending' and is_due and client_id > ${after} order by client_id limit 1)
      union all
      select next.client_id, place + 1 from visited v cross join lateral (
        select d.client_id from deliveries d
        where d.status = 'pending' and d.is_due and d.client_id > v.client_id order by d.client_id limit 1
      ) next
      where place < ${batchSize}
    ), due as materialized (
      select due.id from visited v join webhook_endpoints e on e.client_id = v.client_id
      cross join lateral (
        select d.id from deliveries d
        where d.client_id = v.client_id and d.status = 'pending' and d.is_due and ${isFree}
        order by d.next_attempt_real_at
        limit case when v.client_id = any (${sql.param(quickClientIds)}::text[]) then ${perQuickClientMax}::int
          else ${perClientMax}::int end
        for no key update skip locked
      ) due
      where ${isUsable} and ${isNotSetAside} and e.client_id <> all (${sql.param(busyClientIds)}::text[])
      order by v.client_id limit ${batchSize}
    ), claimed as (
      -- By an array of their ids, for which PostgreSQL looks each up, however many it expects.
      update deliveries d set leased_until_real_at = now() + make_interval(secs => ${leaseSeconds})
      from webhook_endpoints e join clients c on c.id = e.client_id
      where d.id = any (array(select id from due)) and e.client_id = d.client_id and ${isUsable}
      returning ${claimedColumns(sql`null::int`)}
    )
    select v.client_id as "visitedId", ${isUsable} as "isUsable", claimed.*
    from visited v left join webhook_endpoints e on e.client_id = v.client_id
    left join claimed on claimed."clientId" = v.client_id
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

/**
 * Takes one waiting delivery of each endpoint that fails as a whole and is to be probed now; no other process probes it
 * before the lease ends.
 */
export async function claimProbes(
  db: Db,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.execute<ClaimedDelivery>(sql`
    with endpoint as (
      select e.client_id from webhook_endpoints e
      where e.has_waiting and e.probe_real_at <= now() and e.url is not null and e.disabled_at is null
        and ${isNotSetAside}
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

/** Gives a claimed delivery back unattempted, unless another has claimed it since, and wakes the senders. */
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
    select pg_notify(${channels.deliveries}, '') from released`);
}

const isNotLeased = sql`(d.leased_until_real_at is null or d.leased_until_real_at <= now())`;

const isFree = sql`${isNotLeased} and not exists (
  select from quarantine q where q.kind = 'delivery' and q.id = d.id::text and q.retry_real_at > now())`;

const isUsable = sql`(e.url is not null and e.disabled_at is null and e.probe_real_at is null)`;

const isNotSetAside = sql`not exists (
  select from quarantine q where q.kind = 'webhook_endpoint' and q.id = e.client_id and q.retry_real_at > now())`;

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
