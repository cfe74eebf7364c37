import { and, asc, eq, lte, sql } from "drizzle-orm";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { clients, screenings, userIntents } from "./schema.ts";

/** A decision that is due about an intent, with the identity it was created with, still encrypted, and the later submission. */
export type DueScreening = { userIntentId: string; identityEncrypted: string; identitySubmissionId: string | null };

/** Asks for a decision about an intent, `delayMs` from now by its client's clock. */
export async function insertScreening(
  tx: Db,
  { userIntentId, clientId, delayMs }: { userIntentId: string; clientId: string; delayMs: number },
): Promise<void> {
  const dueAt = sql`${clientTime(clientId)} + make_interval(secs => ${delayMs / 1000}::float8)`;
  await tx.insert(screenings).values({ userIntentId, clientId, dueAt });
}

/**
 * Asks for a decision on what the person sent in later, `delayMs` from now; one that was under way is void. Needs the lock
 * of `lockScreening`.
 */
export async function replaceScreening(
  tx: Db,
  screening: { userIntentId: string; clientId: string; identitySubmissionId: string; delayMs: number },
): Promise<void> {
  const { userIntentId, clientId, identitySubmissionId, delayMs } = screening;
  const dueAt = sql`${clientTime(clientId)} + make_interval(secs => ${delayMs / 1000}::float8)`;
  await tx
    .insert(screenings)
    .values({ userIntentId, clientId, identitySubmissionId, dueAt })
    .onConflictDoUpdate({ target: screenings.userIntentId, set: { identitySubmissionId, dueAt } });
}

/** Locks the screening of a locked intent, if it has one; before its user, as everywhere. */
export async function lockScreening(tx: Db, userIntentId: string): Promise<void> {
  await tx
    .select({ userIntentId: screenings.userIntentId })
    .from(screenings)
    .where(eq(screenings.userIntentId, userIntentId))
    .for("update");
}

/** Screenings that are due, the longest waiting first. Two processes may see the same one: whoever removes it decides. */
export function listDueScreenings(db: Db, limit: number): Promise<DueScreening[]> {
  return db
    .select({
      userIntentId: screenings.userIntentId,
      identityEncrypted: userIntents.identityEncrypted,
      identitySubmissionId: screenings.identitySubmissionId,
    })
    .from(screenings)
    .innerJoin(userIntents, eq(userIntents.id, screenings.userIntentId))
    .innerJoin(clients, eq(clients.id, screenings.clientId))
    .where(lte(screenings.dueAt, sql`now() + ${clients.clockOffset}`))
    .orderBy(asc(screenings.dueAt))
    .limit(limit);
}

/** Milliseconds until the next screening is due, not below 0; undefined when none waits. */
export async function findNextScreeningMs(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({
      waitMs: sql<
        number | null
      >`(extract(epoch from min(${screenings.dueAt} - ${clients.clockOffset}) - now()) * 1000)::float8`,
    })
    .from(screenings)
    .innerJoin(clients, eq(clients.id, screenings.clientId));
  return row?.waitMs == null ? undefined : Math.max(0, row.waitMs);
}

/** Takes a screening away, in the transaction of the decision; false when somebody else has done so. */
export async function deleteScreening(tx: Db, userIntentId: string): Promise<boolean> {
  const deleted = await tx
    .delete(screenings)
    .where(eq(screenings.userIntentId, userIntentId))
    .returning({ userIntentId: screenings.userIntentId });
  return deleted.length === 1;
}

/** The same for whoever brings its result: false also when it is by now about something else that was sent in. */
export async function redeemScreening(
  tx: Db,
  { userIntentId, identitySubmissionId }: { userIntentId: string; identitySubmissionId: string | null },
): Promise<boolean> {
  const isSame = sql`${screenings.identitySubmissionId} is not distinct from ${identitySubmissionId}::uuid`;
  const redeemed = await tx
    .delete(screenings)
    .where(and(eq(screenings.userIntentId, userIntentId), isSame))
    .returning({ userIntentId: screenings.userIntentId });
  return redeemed.length === 1;
}

/** Puts a screening off, because it could not be done now. */
export async function postponeScreening(db: Db, userIntentId: string, delaySeconds: number): Promise<void> {
  await db
    .update(screenings)
    .set({ dueAt: sql`${clientTimeOfScreening} + make_interval(secs => ${delaySeconds})` })
    .where(eq(screenings.userIntentId, userIntentId));
}

const clientTimeOfScreening = sql`now() + (select clock_offset from clients where id = ${screenings.clientId})`;
