import { type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import type { Db } from "./database.ts";
import { firstIdKept } from "./months.ts";

/** What one kind of row is called in the log, and how a batch of those that ended long ago is deleted. */
export type Sweep = { name: string; deleteBatch: (db: Db, batchSize: number) => Promise<number> };

/** For how many days rows are kept after they ended. */
export type Retention = { deliveriesKeptDays: number; endedKeptDays: number };

// An expired one is refused as an unknown one is, so it is of no use; somebody may have a great many.
const refreshTokensKept = sql`interval '1 day'`;
// A day longer than a client may count on (Decision D13).
const idempotencyKeysKept = sql`make_interval(hours => ${limits.idempotencyKeyHoursMin + 24})`;
// Wrong codes count for a day (Decision D9).
const failedVerificationsKept = sql`interval '2 days'`;

/**
 * Everything that ends, each by its own clock: lifetimes by the client's, webhooks, idempotency keys and guesses by real time
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
    // Of processes that ended without taking their notice away.
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
    // Client by client, because each has its own clock: one walk along the index for each.
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

// By the row's place and not its key, because the tables have different keys; a row that moved meanwhile is found next time.
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

// Those of months that are over but cannot be dropped as a whole, with their attempts: what is still pending stays there,
// however old it is.
async function deleteOldDeliveries(
  db: Db,
  { batchSize, keptDays }: { batchSize: number; keptDays: number },
): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with old as (
      select id from deliveries where id < ${firstIdKept(keptDays)} and status <> 'pending' order by id limit ${batchSize}
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from old)
    )
    delete from deliveries where id in (select id from old)`);
  return rowCount ?? 0;
}
