import { type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import type { Db } from "./database.ts";
import { oldestKeptId } from "./months.ts";

export type Sweep = { name: string; deleteBatch: (db: Db, batchSize: number) => Promise<number> };

export type Retention = { deliveriesKeptDays: number; endedKeptDays: number };

// Expired and unknown tokens are refused alike, and there may be many.
const refreshTokensKept = sql`interval '1 day'`;
// A day longer than promised (Decision D13).
const idempotencyKeysKept = sql`make_interval(hours => ${limits.idempotencyKeyHoursMin + 24})`;
// Wrong codes count for a day (Decision D9).
const failedVerificationsKept = sql`interval '2 days'`;

/**
 * Everything that expires: lifetimes by the client's clock; webhooks, idempotency keys and wrong codes by real time
 * (Decision D15).
 */
export function listSweeps({ deliveriesKeptDays, endedKeptDays }: Retention): Sweep[] {
  const kept = sql`make_interval(days => ${endedKeptDays})`;
  return [
    endedAt("authorization_codes", sql`expires_at`, kept),
    endedAt("access_tokens", sql`expires_at`, kept),
    endedAt("refresh_tokens", sql`expires_at`, refreshTokensKept),
    endedAt("identity_verification_tokens", sql`expires_at`, kept),
    endedAt("visits", sql`expires_at`, kept),
    endedAt("messages", sql`sent_at`, kept),
    olderThan("idempotency_keys", sql`created_real_at`, idempotencyKeysKept),
    olderThan("failed_verifications", sql`failed_real_at`, failedVerificationsKept),
    // Left by processes that crashed.
    olderThan("sleeping_workers", sql`wakes_real_at`, sql`interval '1 day'`),
    {
      name: "deliveries",
      deleteBatch: (db, batchSize) => deleteOldDeliveries(db, { batchSize, keptDays: deliveriesKeptDays }),
    },
  ];
}

function endedAt(table: string, endedAtColumn: SQL, kept: SQL): Sweep {
  return rowsAt(
    table,
    // One index scan per client, because each has its own clock.
    (batchSize) => sql`select ended.ctid from clients c
      cross join lateral (
        select t.ctid from ${sql.identifier(table)} t
        where t.client_id = c.id and t.${endedAtColumn} < now() + c.clock_offset - ${kept} limit ${batchSize}
      ) ended
      limit ${batchSize}`,
  );
}

function olderThan(table: string, realTimeColumn: SQL, kept: SQL): Sweep {
  return rowsAt(
    table,
    (batchSize) =>
      sql`select ctid from ${sql.identifier(table)} where ${realTimeColumn} < now() - ${kept} limit ${batchSize}`,
  );
}

// By ctid, because the tables have different keys. A row that moves is found next time.
function rowsAt(table: string, places: (batchSize: number) => SQL): Sweep {
  return {
    name: table,
    deleteBatch: async (db, batchSize) => {
      const { rowCount } = await db.execute(
        sql`delete from ${sql.identifier(table)} where ctid = any (array(${places(batchSize)})::tid[])`,
      );
      return rowCount ?? 0;
    },
  };
}

// For months with pending deliveries, which can't be dropped as a whole.
async function deleteOldDeliveries(
  db: Db,
  { batchSize, keptDays }: { batchSize: number; keptDays: number },
): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with old as (
      select id from deliveries where id < ${oldestKeptId(keptDays)} and status <> 'pending' order by id limit ${batchSize}
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from old)
    )
    delete from deliveries where id in (select id from old)`);
  return rowCount ?? 0;
}
