import { type SQL, sql } from "drizzle-orm";
import type { Partner } from "../partner.ts";
import type { Db } from "./database.ts";

const batchSize = 2000;
// A webhook that is delivered again must still be recognized, and a service may retry for days.
const keptDays = 30;

/** Deletes what ended long ago (attempts, texts, sign-in challenges, webhook receipts, entries of the inspector), in batches that commit by themselves. */
export async function sweep(partner: Partner): Promise<void> {
  while ((await deleteOldRows(partner.db, { batchSize, keptDays })) === batchSize);
}

// Longer than any window that attempts are counted in.
const oldAttempts = sql`select ctid from attempts where started_real_at < now() - interval '2 days'`;
const oldSessions = sql`select ctid from sessions where expires_real_at < now()`;
const oldEntries = sql`select ctid from inspector_entries where kept_real_at < now() - interval '1 day'`;

// A webhook that comes again after its receipt is gone would be applied again, which does no harm.
const endedRows = (keptDays: number) => {
  const kept = sql`make_interval(days => ${keptDays})`;
  return {
    texts: sql`select ctid from texts where sent_at < harbor_now() - ${kept}`,
    challenges: sql`select ctid from sign_in_challenges c where c.created_at < harbor_now() - ${kept}
      and not exists (select from texts t where t.challenge_id = c.id)`,
    receipts: sql`select ctid from webhook_receipts
      where received_real_at < now() - ${kept} and next_attempt_real_at is null`,
  };
};

/**
 * Deletes one batch of each kind of row that ended long ago: times by Harbor's clock, *_real_at by real time. Returns the most
 * of a kind. `keptDays`: for texts, challenges and receipts.
 */
export async function deleteOldRows(
  db: Db,
  { batchSize, keptDays }: { batchSize: number; keptDays: number },
): Promise<number> {
  const ended = endedRows(keptDays);
  // One after the other: a challenge goes after its texts.
  const counts = [
    await deleteRows(db, "attempts", oldAttempts, batchSize),
    await deleteRows(db, "texts", ended.texts, batchSize),
    await deleteRows(db, "sign_in_challenges", ended.challenges, batchSize),
    await deleteRows(db, "sessions", oldSessions, batchSize),
    await deleteRows(db, "webhook_receipts", ended.receipts, batchSize),
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
