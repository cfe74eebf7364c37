import { and, eq, type SQL, sql } from "drizzle-orm";
import type { IdentitySubmissionKind } from "../domain/identity-submission.ts";
import { clientTimeOfInsert, timeAfter } from "./clients.ts";
import type { Db } from "./database.ts";
import type { UserIntent } from "./people.ts";
import { releaseFromQuarantine } from "./quarantine.ts";
import { identitySubmissions, screenings } from "./schema.ts";

/** A person as stored, plus the submission to screen instead, if any, and the provider's reference. */
export type DueScreening = ScreeningKey &
  Pick<UserIntent, "firstName" | "lastName" | "email" | "phone" | "identityEncrypted"> & { reference: string | null };

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
    .onConflictDoUpdate({
      target: screenings.userIntentId,
      set: { identitySubmissionId, dueRealAt, leasedUntilRealAt: null, reference: null, polls: 0 },
    });
  // It belongs to the replaced question.
  await releaseFromQuarantine(tx, "screening", [userIntentId]);
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

/**
 * Leases due screenings that aren't quarantined, so that no other process asks about them. If a process outlives its lease,
 * two may ask, and the one that deletes the row decides.
 */
export async function claimDueScreenings(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueScreening[]> {
  const { rows } = await db.execute<DueScreening>(sql`
    with claimed as materialized (
      select s.user_intent_id from screenings s
      where s.due_real_at <= now() and ${isFree} and ${isNotQuarantined}
      order by s.due_real_at limit ${limit} for no key update of s skip locked
    ), leased as (
      update screenings s set leased_until_real_at = ${fromNow(leaseMs)}
      where s.user_intent_id = any (array(select user_intent_id from claimed))
      returning s.user_intent_id, s.identity_submission_id, s.reference
    )
    select l.user_intent_id as "userIntentId", i.first_name as "firstName", i.last_name as "lastName", i.email, i.phone,
      i.identity_encrypted as "identityEncrypted", l.identity_submission_id as "identitySubmissionId", l.reference
    from leased l join user_intents i on i.id = l.user_intent_id`);
  return rows;
}

type ScreeningKey = { userIntentId: string; identitySubmissionId: string | null };

/** Ends the lease of a screening that still exists and that no newer submission has replaced. */
export async function releaseScreening(db: Db, key: ScreeningKey): Promise<void> {
  await db.update(screenings).set({ leasedUntilRealAt: null }).where(isScreening(key));
}

/** The provider decides later: ask again after 30 s, doubling up to an hour. */
export async function postponeScreening(db: Db, { reference, ...key }: ScreeningKey & { reference: string }) {
  await db.execute(sql`
    with postponed as (
      update screenings set reference = ${reference}, polls = least(polls + 1, 1000),
        due_real_at = ${timeAfter(sql`least(interval '1 hour', interval '30 seconds' * power(2, least(polls, 20)))`)}
      where ${isScreening(key)}
      returning user_intent_id
    )
    delete from quarantine q using postponed p where q.kind = 'screening' and q.id = p.user_intent_id::text`);
}

/** The screening with this question's id: the submission's or, without one, the intent's. */
export async function findScreening(
  db: Db,
  id: string,
): Promise<(ScreeningKey & { kind: IdentitySubmissionKind | null }) | undefined> {
  const { rows } = await db.execute<ScreeningKey & { kind: IdentitySubmissionKind | null }>(sql`
    select s.user_intent_id as "userIntentId", s.identity_submission_id as "identitySubmissionId", i.kind
    from screenings s left join identity_submissions i on i.id = s.identity_submission_id
    where s.identity_submission_id = ${id} or (s.user_intent_id = ${id} and s.identity_submission_id is null)`);
  return rows[0];
}

const isScreening = ({ userIntentId, identitySubmissionId }: ScreeningKey) =>
  sql`user_intent_id = ${userIntentId} and identity_submission_id is not distinct from ${identitySubmissionId}::uuid`;

/** At least 0; undefined if there's none. */
export async function findNextScreeningMs(db: Db): Promise<number | undefined> {
  const { rows } = await db.execute<{ waitMs: number }>(sql`
    select greatest(0, extract(epoch from s.due_real_at - now()) * 1000)::float8 as "waitMs"
    from screenings s where ${isFree} and ${isNotQuarantined} order by s.due_real_at limit 1`);
  return rows[0]?.waitMs;
}

const isFree = sql`(s.leased_until_real_at is null or s.leased_until_real_at <= now())`;

/** How many seconds late the oldest due screening is; 0 without one. */
export async function findOldestDueScreening(db: Db): Promise<number> {
  const { rows } = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from now() - due_real_at)::float8 as seconds from screenings
    where due_real_at <= now() order by due_real_at limit 1`);
  return rows[0]?.seconds ?? 0;
}

const isNotQuarantined = sql`not exists (
  select from quarantine q where q.kind = 'screening' and q.id = s.user_intent_id::text and q.retry_real_at > now())`;

/** Deletes a screening, in the transaction of the decision; false if it was deleted before. */
export function deleteScreening(tx: Db, userIntentId: string): Promise<boolean> {
  return deleteWhere(tx, sql`user_intent_id = ${userIntentId}`);
}

/** Deletes a screening whose result arrived; false also if a newer submission has replaced it. */
export function redeemScreening(tx: Db, key: ScreeningKey): Promise<boolean> {
  return deleteWhere(tx, isScreening(key));
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

export function photoKeyContext(submissionId: string): string {
  return `identity_submissions.photo_key:${submissionId}`;
}

/** Encrypted: the content itself, or the key to a photo ID that a provider stores. */
export type StoredContent = { contentEncrypted: string } | { photoKeyEncrypted: string };

/** False if the user already has one of this kind. */
export async function insertIdentitySubmission(
  tx: Db,
  {
    clientId,
    stored,
    ...submission
  }: Pick<IdentitySubmission, "id" | "userId" | "kind"> & { clientId: string; stored: StoredContent },
): Promise<boolean> {
  const inserted = await tx
    .insert(identitySubmissions)
    .values({ ...submission, ...stored, createdAt: clientTimeOfInsert(clientId) })
    .onConflictDoNothing({ target: [identitySubmissions.userId, identitySubmissions.kind] })
    .returning({ id: identitySubmissions.id });
  return inserted.length === 1;
}

export async function findIdentitySubmission(
  db: Db,
  by: { id: string } | { userId: string; kind: IdentitySubmissionKind },
): Promise<IdentitySubmission | undefined> {
  const { id, userId, kind } = identitySubmissions;
  const isIt = "id" in by ? eq(id, by.id) : and(eq(userId, by.userId), eq(kind, by.kind));
  const [row] = await db.select().from(identitySubmissions).where(isIt);
  return row;
}
