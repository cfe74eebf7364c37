import { eq, type SQL, sql } from "drizzle-orm";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { identitySubmissions, screenings } from "./schema.ts";

/** `identityEncrypted` of the intent, and the submission to screen instead, if any. */
export type DueScreening = { userIntentId: string; identityEncrypted: string; identitySubmissionId: string | null };

export async function insertScreening(
  tx: Db,
  { userIntentId, clientId, delayMs }: { userIntentId: string; clientId: string; delayMs: number },
): Promise<void> {
  await tx.insert(screenings).values({ userIntentId, clientId, dueRealAt: fromNow(delayMs) });
}

/** Queues the screening of a submission in place of the current one. Requires `lockScreening`. */
export async function replaceScreening(
  tx: Db,
  screening: { userIntentId: string; clientId: string; identitySubmissionId: string; delayMs: number },
): Promise<void> {
  const { userIntentId, clientId, identitySubmissionId, delayMs } = screening;
  const dueRealAt = fromNow(delayMs);
  await tx
    .insert(screenings)
    .values({ userIntentId, clientId, identitySubmissionId, dueRealAt })
    .onConflictDoUpdate({ target: screenings.userIntentId, set: { identitySubmissionId, dueRealAt } });
}

const fromNow = (delayMs: number) => sql`now() + make_interval(secs => ${delayMs / 1000}::float8)`;

/** Lock order: before its user. */
export async function lockScreening(tx: Db, userIntentId: string): Promise<void> {
  await tx
    .select({ userIntentId: screenings.userIntentId })
    .from(screenings)
    .where(eq(screenings.userIntentId, userIntentId))
    .for("update");
}

/** Due screenings that are not quarantined. Two processes may read the same one; the one that deletes it decides. */
export async function listDueScreenings(db: Db, limit: number): Promise<DueScreening[]> {
  const { rows } = await db.execute<DueScreening>(sql`
    select s.user_intent_id as "userIntentId", i.identity_encrypted as "identityEncrypted",
      s.identity_submission_id as "identitySubmissionId"
    from screenings s join user_intents i on i.id = s.user_intent_id
    where s.due_real_at <= now() and ${isNotSetAside}
    order by s.due_real_at limit ${limit}`);
  return rows;
}

/** At least 0. */
export async function findNextScreeningMs(db: Db): Promise<number | undefined> {
  const { rows } = await db.execute<{ waitMs: number }>(sql`
    select greatest(0, extract(epoch from s.due_real_at - now()) * 1000)::float8 as "waitMs"
    from screenings s where ${isNotSetAside} order by s.due_real_at limit 1`);
  return rows[0]?.waitMs;
}

const isNotSetAside = sql`not exists (
  select from quarantine q where q.kind = 'screening' and q.id = s.user_intent_id::text and q.retry_real_at > now())`;

/** Deletes a screening, in the transaction of the decision; false when it was deleted before. */
export function deleteScreening(tx: Db, userIntentId: string): Promise<boolean> {
  return deleteWhere(tx, sql`user_intent_id = ${userIntentId}`);
}

/** Deletes a screening whose result arrived; false also when a newer submission has replaced it. */
export function redeemScreening(
  tx: Db,
  { userIntentId, identitySubmissionId }: { userIntentId: string; identitySubmissionId: string | null },
): Promise<boolean> {
  return deleteWhere(
    tx,
    sql`user_intent_id = ${userIntentId} and identity_submission_id is not distinct from ${identitySubmissionId}::uuid`,
  );
}

async function deleteWhere(tx: Db, condition: SQL): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    with gone as (
      delete from screenings where ${condition} returning user_intent_id as id
    ), no_longer_set_aside as (
      delete from quarantine q using gone where q.kind = 'screening' and q.id = gone.id::text
    )
    select id from gone`);
  return rows.length === 1;
}

export type IdentitySubmission = typeof identitySubmissions.$inferSelect;

export function submissionContext(submissionId: string): string {
  return `identity_submissions.content:${submissionId}`;
}

/** False when the user already has one of this kind. */
export async function insertIdentitySubmission(
  tx: Db,
  { clientId, ...submission }: Omit<IdentitySubmission, "createdAt"> & { clientId: string },
): Promise<boolean> {
  const inserted = await tx
    .insert(identitySubmissions)
    .values({ ...submission, createdAt: clientTime(clientId) })
    .onConflictDoNothing({ target: [identitySubmissions.userId, identitySubmissions.kind] })
    .returning({ id: identitySubmissions.id });
  return inserted.length === 1;
}

export async function findIdentitySubmission(db: Db, id: string): Promise<IdentitySubmission | undefined> {
  const [row] = await db.select().from(identitySubmissions).where(eq(identitySubmissions.id, id));
  return row;
}
