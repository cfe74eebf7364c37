import { sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import type { QuarantinedKind } from "./schema.ts";

/** A row that could not be dealt with, and why, in words that hold nothing of the row's content. */
export type Quarantined = { id: string; reason: string };

/**
 * Sets rows of one kind aside: nobody looks at them for 5 s of real time, at each further failure twice as long, an hour at
 * most. The statements that find due work leave them out until then. Returns them without those that were set aside already.
 */
export async function quarantineRows(db: Db, kind: QuarantinedKind, rows: Quarantined[]): Promise<Quarantined[]> {
  const { rows: added } = await db.execute<Quarantined>(sql`
    insert into quarantine (kind, id, reason, retry_real_at)
    select ${kind}, id, reason, now() + ${pauseAfter(sql`1`)}
    from unnest(${sql.param(rows.map(({ id }) => id))}::text[], ${sql.param(rows.map(({ reason }) => reason))}::text[])
      as failed (id, reason)
    order by id
    on conflict (kind, id) do update set reason = excluded.reason, failures = quarantine.failures + 1,
      retry_real_at = now() + ${pauseAfter(sql`quarantine.failures + 1`)}
    where quarantine.retry_real_at <= now()
    returning id, reason`);
  return added;
}

/** Forgets that a row was set aside, because it has been dealt with. */
export async function releaseFromQuarantine(db: Db, kind: QuarantinedKind, ids: string[]): Promise<void> {
  await db.execute(sql`delete from quarantine where kind = ${kind} and id = any (${sql.param(ids)}::text[])`);
}

/** How many rows of each kind are set aside; kinds without any are left out. */
export async function countQuarantined(db: Db): Promise<{ kind: QuarantinedKind; count: number }[]> {
  const { rows } = await db.execute<{ kind: QuarantinedKind; count: number }>(
    sql`select kind, count(*)::int as count from quarantine group by kind`,
  );
  return rows;
}

const pauseAfter = (failures: ReturnType<typeof sql>) =>
  sql`least(interval '1 hour', interval '5 seconds' * power(2, least(${failures}, 20) - 1))`;
