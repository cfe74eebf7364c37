import { type SQL, sql } from "drizzle-orm";
import type { Db } from "./database.ts";

// Longer than any window that attempts are counted in.
const oldAttempts = sql`select ctid from attempts where started_real_at < now() - interval '2 days'`;
const oldTexts = sql`select ctid from texts where sent_at < harbor_now() - interval '30 days'`;
const oldChallenges = sql`select ctid from sign_in_challenges c where c.created_at < harbor_now() - interval '30 days'
  and not exists (select from texts t where t.challenge_id = c.id)`;
const oldSessions = sql`select ctid from sessions where expires_real_at < now()`;
// The service tries for days; a webhook that comes again after this would be applied again, which does no harm.
const oldReceipts = sql`select ctid from webhook_receipts
  where received_real_at < now() - interval '30 days' and next_attempt_real_at is null`;

const oldEntries = sql`select ctid from inspector_entries where kept_real_at < now() - interval '1 day'`;

/** Deletes one batch of each kind of row that ended long ago: times by Harbor's clock, *_real_at by real time. Returns the most of a kind. */
export async function deleteOldRows(db: Db, batchSize: number): Promise<number> {
  // One after the other: a challenge goes after its texts.
  const counts = [
    await deleteRows(db, "attempts", oldAttempts, batchSize),
    await deleteRows(db, "texts", oldTexts, batchSize),
    await deleteRows(db, "sign_in_challenges", oldChallenges, batchSize),
    await deleteRows(db, "sessions", oldSessions, batchSize),
    await deleteRows(db, "webhook_receipts", oldReceipts, batchSize),
    await deleteRows(db, "inspector_entries", oldEntries, batchSize),
  ];
  return Math.max(...counts);
}

async function deleteRows(db: Db, table: string, places: SQL, batchSize: number): Promise<number> {
  const { rowCount } = await db.execute(
    sql`delete from ${sql.identifier(table)} where ctid = any (array(${places} limit ${batchSize})::tid[])`,
  );
  return rowCount ?? 0;
}
