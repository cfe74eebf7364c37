import { type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import type { Db } from "./database.ts";

/** What one kind of row is called in the log, and how a batch of those that ended long ago is deleted. */
export type Sweep = { name: string; deleteBatch: (db: Db, batchSize: number) => Promise<number> };

// A token that expired is told apart from an unknown one for 30 days (Decision D5); whatever else ends is kept as long.
const longAgo = sql`interval '30 days'`;
// An expired one is refused as an unknown one is, so it is of no use; somebody may have a great many.
const refreshTokensKept = sql`interval '1 day'`;
// A day longer than a client may count on (Decision D13).
const idempotencyKeysKept = sql`make_interval(hours => ${limits.idempotencyKeyHoursMin + 24})`;
// Wrong codes count for a day (Decision D9).
const failedVerificationsKept = sql`interval '2 days'`;
const deliveriesKept = sql`interval '90 days'`;

/** Everything that ends, each by its own clock: lifetimes by the client's, idempotency keys and guesses by real time (Decision D15). */
export const sweeps: readonly Sweep[] = [
  endedAt("authorization_codes", sql`expires_at`),
  endedAt("access_tokens", sql`expires_at`),
  endedAt("refresh_tokens", sql`expires_at`, refreshTokensKept),
  endedAt("identity_verification_tokens", sql`expires_at`),
  endedAt("visits", sql`expires_at`),
  endedAt("messages", sql`sent_at`),
  {
    name: "idempotency_keys",
    deleteBatch: (db, batchSize) =>
      deleteRows(
        db,
        "idempotency_keys",
        sql`select ctid from idempotency_keys
        where created_real_at < now() - ${idempotencyKeysKept} limit ${batchSize}`,
      ),
  },
  {
    name: "failed_verifications",
    deleteBatch: (db, batchSize) =>
      deleteRows(
        db,
        "failed_verifications",
        sql`select ctid from failed_verifications
        where failed_real_at < now() - ${failedVerificationsKept} limit ${batchSize}`,
      ),
  },
  {
    // Of processes that ended without taking their notice away.
    name: "sleeping_workers",
    deleteBatch: (db, batchSize) =>
      deleteRows(
        db,
        "sleeping_workers",
        sql`select ctid from sleeping_workers where wakes_real_at < now() - interval '1 day' limit ${batchSize}`,
      ),
  },
  { name: "deliveries", deleteBatch: deleteOldDeliveries },
];

function endedAt(table: string, endedAtColumn: SQL, kept = longAgo): Sweep {
  return {
    name: table,
    deleteBatch: (db, batchSize) =>
      deleteRows(
        db,
        table,
        // Client by client, because each has its own clock: one walk along the index for each.
        sql`select ended.ctid from clients c
        cross join lateral (
          select t.ctid from ${sql.identifier(table)} t
          where t.client_id = c.id and t.${endedAtColumn} < now() + c.clock_offset - ${kept} limit ${batchSize}
        ) ended
        limit ${batchSize}`,
      ),
  };
}

// By the row's place and not its key, because the tables have different keys; a row that moved meanwhile is found next time.
async function deleteRows(db: Db, table: string, places: SQL): Promise<number> {
  const { rowCount } = await db.execute(
    sql`delete from ${sql.identifier(table)} where ctid = any (array(${places})::tid[])`,
  );
  return rowCount ?? 0;
}

// With their attempts; one that is still pending stays however old it is.
async function deleteOldDeliveries(db: Db, batchSize: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with old as (
      select ended.id from clients c
      cross join lateral (
        select d.id from deliveries d
        where d.client_id = c.id and d.status <> 'pending' and d.created_at < now() + c.clock_offset - ${deliveriesKept}
        limit ${batchSize}
      ) ended
      limit ${batchSize}
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from old)
    )
    delete from deliveries where id in (select id from old)`);
  return rowCount ?? 0;
}
