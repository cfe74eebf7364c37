import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";

// Everything here takes a bounded number of rows, and leaves those that somebody else holds for the next time. Who makes
// deliveries wait, or ends their waiting, holds their endpoint: so none begins to wait for one that has come to work.

/** Lets due deliveries of these clients wait, at most `perClientMax` of each, where the endpoint does not work; returns how many. */
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

/** What is due now that was not, and when more will be. */
export type QueueStep = {
  /** How many deliveries became due: they fell due, or their endpoint has come to work. */
  due: number;
  /** Milliseconds until the next delivery falls due or endpoint is to be probed, 0 when one is; undefined when none will. */
  nextMs: number | undefined;
};

/**
 * Makes due the longest overdue deliveries, `fallenDueMax` at most, and those that waited for an endpoint which has come to
 * work, until `perClientMax` of it are due.
 */
export async function makeDeliveriesDue(
  db: Db,
  { fallenDueMax, endpointsMax, perClientMax }: { fallenDueMax: number; endpointsMax: number; perClientMax: number },
): Promise<QueueStep> {
  const { rows } = await db.execute<{ due: number; nextMs: number | null }>(sql`
    with fallen_due as (
      update deliveries set is_due = true where id = any (array(
        select id from deliveries
        where status = 'pending' and not is_due and next_attempt_real_at <= now()
        order by next_attempt_real_at limit ${fallenDueMax} for no key update skip locked))
      returning id
    ), endpoint as (
      select client_id from webhook_endpoints
      where has_waiting and probe_real_at is null and url is not null and disabled_at is null
      order by client_id limit ${endpointsMax} for no key update skip locked
    ), waiting as (
      select waiting.id from endpoint e
      cross join lateral (
        select count(*) as due from (
          select from deliveries where client_id = e.client_id and status = 'pending' and is_due limit ${perClientMax}
        ) found
      ) already
      cross join lateral (
        select id from deliveries
        where client_id = e.client_id and status = 'pending' and next_attempt_real_at is null
        order by attempts, id limit ${perClientMax} - already.due for no key update skip locked
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
        (select probe_real_at from webhook_endpoints
          where has_waiting and probe_real_at is not null and url is not null and disabled_at is null
          order by probe_real_at limit 1)
      ) - now()) * 1000)::float8 as "nextMs"`);
  const { due = 0, nextMs = null } = rows[0] ?? {};
  // Not by SQL's greatest(), which takes nothing in sight for 0.
  return { due, nextMs: nextMs === null ? undefined : Math.max(0, nextMs) };
}
