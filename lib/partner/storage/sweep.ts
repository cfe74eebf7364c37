import { type SQL, sql } from "drizzle-orm";
import type { Db } from "./database.ts";

const batchSize = 2000;
// Longer than the service retries a delivery, which must still be recognized as a duplicate.
const retention = sql`interval '30 days'`;

// The order matters: a challenge is deleted after its messages, a batch after its payments.
const oldRows: [table: string, rows: SQL][] = [
  // Longer than any window in which attempts are counted.
  ["attempts", sql`select ctid from attempts where started_real_at < now() - interval '2 days'`],
  ["messages", sql`select ctid from messages where sent_at < harbor_now() - ${retention}`],
  [
    "sign_in_challenges",
    sql`select ctid from sign_in_challenges c where c.created_at < harbor_now() - ${retention}
      and not exists (select from messages m where m.challenge_id = c.id)`,
  ],
  ["sessions", sql`select ctid from sessions where expires_real_at < now()`],
  [
    "webhook_receipts",
    sql`select ctid from webhook_receipts
      where received_real_at < now() - ${retention} and next_attempt_real_at is null`,
  ],
  [
    "batch_payments",
    sql`select p.ctid from batch_payments p join payment_batches b on b.id = p.batch_id
      where b.confirmed_at is null and b.created_at < harbor_now() - ${retention}`,
  ],
  [
    "payment_batches",
    sql`select ctid from payment_batches b where confirmed_at is null and created_at < harbor_now() - ${retention}
      and not exists (select from batch_payments p where p.batch_id = b.id)`,
  ],
  ["inspector_entries", sql`select ctid from inspector_entries where kept_real_at < now() - interval '1 day'`],
];

/** Deletes old rows in batches, each in its own transaction. `progress` is called after each. */
export async function sweep(db: Db, stopping?: AbortSignal, progress?: () => void): Promise<void> {
  for (const [table, rows] of oldRows) {
    let deleted = batchSize;
    while (!stopping?.aborted && deleted === batchSize) {
      deleted = await deleteBatch(db, table, rows);
      progress?.();
    }
  }
}

async function deleteBatch(db: Db, table: string, rows: SQL): Promise<number> {
  const { rowCount } = await db.execute(
    sql`delete from ${sql.identifier(table)} where ctid = any (array(${rows} limit ${batchSize})::tid[])`,
  );
  return rowCount ?? 0;
}
