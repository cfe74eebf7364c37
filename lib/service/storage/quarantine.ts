import { sql } from "drizzle-orm";
import { log } from "../../kit/log.ts";
import { countRowsQuarantined } from "../metrics.ts";
import { type Db, database } from "./database.ts";
import type { QuarantinedKind } from "./schema.ts";

/** `reason` contains no data from the row. */
export type Quarantined = { id: string; reason: string };

/**
 * Quarantines rows that couldn't be processed, and logs and counts each new failure. Statements that find due work skip them
 * for 5 s of real time, doubling with each failure up to an hour.
 */
export async function quarantineRows(kind: QuarantinedKind, rows: Quarantined[]): Promise<void> {
  const { rows: added } = await database().execute<Quarantined>(sql`
    insert into quarantine (kind, id, reason, retry_real_at)
    select ${kind}, id, reason, now() + ${pauseAfter(sql`1`)}
    from unnest(${sql.param(rows.map(({ id }) => id))}::text[], ${sql.param(rows.map(({ reason }) => reason))}::text[])
      as failed (id, reason)
    order by id
    on conflict (kind, id) do update set reason = excluded.reason, failures = quarantine.failures + 1,
      retry_real_at = now() + ${pauseAfter(sql`quarantine.failures + 1`)}
    where quarantine.retry_real_at <= now()
    returning id, reason`);
  for (const { id, reason } of added) {
    log().error({ kind, id, reason }, "a row could not be processed and is set aside");
    countRowsQuarantined(kind);
  }
}

export async function releaseFromQuarantine(db: Db, kind: QuarantinedKind, ids: string[]): Promise<void> {
  await db.execute(sql`delete from quarantine where kind = ${kind} and id = any (${sql.param(ids)}::text[])`);
}

/** Kinds without rows are omitted. */
export async function countQuarantined(db: Db): Promise<{ kind: QuarantinedKind; count: number }[]> {
  const { rows } = await db.execute<{ kind: QuarantinedKind; count: number }>(
    sql`select kind, count(*)::int as count from quarantine group by kind`,
  );
  return rows;
}

const pauseAfter = (failures: ReturnType<typeof sql>) =>
  sql`least(interval '1 hour', interval '5 seconds' * power(2, least(${failures}, 20) - 1))`;
