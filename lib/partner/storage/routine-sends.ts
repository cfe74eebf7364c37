import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { type Db, harborNow } from "./database.ts";
import { findRoutineByKey, type RoutineRow } from "./routines.ts";
import { routines } from "./schema.ts";

export type PaymentDetails = Pick<RoutineRow, "name" | "amountCents" | "sourceId" | "destinationId">;
export type NewRoutine = PaymentDetails &
  Pick<RoutineRow, "id" | "idempotencyKey" | "createdBy" | "sellerUserId" | "traceId">;

export const isUnanswered = inArray(routines.state, ["submitting", "unanswered"]);
// Longer than one request with its refreshes can take.
const sendSeconds = 60;
const firstSend = {
  state: "submitting" as const,
  status: null,
  transferStatus: null,
  failureReason: null,
  unansweredSends: 1,
  replays: 0,
  resolvedBy: null,
  firstSentRealAt: sql`now()`,
  lastSentRealAt: sql`now()`,
  tries: 0,
  nextTryAt: inSeconds(sendSeconds),
  createdAt: harborNow,
  updatedAt: harborNow,
};

export function inSeconds(seconds: number): SQL {
  return sql`${harborNow} + make_interval(secs => ${seconds})`;
}

/** Stores a routine that is about to be sent. For a used key, returns the existing row with `isNew` false. */
export async function insertRoutine(db: Db, routine: NewRoutine): Promise<RoutineRow & { isNew: boolean }> {
  const [inserted] = await db
    .insert(routines)
    .values({ ...routine, ...firstSend })
    .onConflictDoNothing({ target: routines.idempotencyKey })
    .returning();
  if (inserted) return { ...inserted, isNew: true };
  const known = await findRoutineByKey(db, routine.idempotencyKey);
  if (known) return { ...known, isNew: false };
  // The row was refused and deleted between the two statements.
  return insertRoutine(db, routine);
}

/** Records that an unanswered routine is resent. False if its outcome became known, so it must not be. */
export async function beginSend(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db
    .update(routines)
    .set({
      unansweredSends: sql`${routines.unansweredSends} + 1`,
      replays: sql`${routines.replays} + 1`,
      lastSentRealAt: sql`now()`,
    })
    .where(and(eq(routines.id, id), eq(routines.state, "unanswered"), isNull(routines.failureReason)));
  return rowCount === 1;
}

/** Records that a missing payment is resent. False if it must not be: no longer missing, or already being resent. */
export async function beginResend(db: Db, { id, replays }: RoutineRow): Promise<boolean> {
  const { firstSentRealAt, createdAt, ...resend } = firstSend;
  const { rowCount } = await db
    .update(routines)
    .set({ ...resend, serviceRoutineId: null, transferId: null, missingRealAt: null, replays: replays + 1 })
    .where(and(eq(routines.id, id), eq(routines.state, "missing"), eq(routines.replays, replays)));
  return rowCount === 1;
}

/** Restores a missing payment whose resend was refused or never left. @param row its state before the resend */
export async function revertResend(db: Db, row: RoutineRow): Promise<void> {
  const { id, replays, state, status, transferStatus, failureReason, resolvedBy } = row;
  const { serviceRoutineId, transferId, missingRealAt, lastSentRealAt } = row;
  const before = { state, status, transferStatus, failureReason, resolvedBy, serviceRoutineId, transferId, replays };
  await db
    .update(routines)
    .set({ ...before, missingRealAt, lastSentRealAt, unansweredSends: 0 })
    .where(and(eq(routines.id, id), eq(routines.state, "submitting"), eq(routines.replays, replays + 1)));
}

/** Takes back a request that was refused or never left. True if it was the only one, so the routine is deleted and its key is free. */
export async function revertRefusedSend(tx: Db, { id }: Pick<RoutineRow, "id">): Promise<boolean> {
  await tx
    .update(routines)
    .set({ unansweredSends: sql`${routines.unansweredSends} - 1` })
    .where(and(eq(routines.id, id), isUnanswered));
  const { rowCount } = await tx
    .delete(routines)
    .where(and(eq(routines.id, id), eq(routines.state, "submitting"), eq(routines.unansweredSends, 0)));
  return rowCount === 1;
}

export async function markUnanswered(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .update(routines)
    .set({ state: "unanswered", nextTryAt: inSeconds(seconds), updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.state, "submitting")));
}

/**
 * Ends an unanswered routine as never created. False if it was resent or resolved in the meantime.
 * @param routine as it was when that was decided
 * @param resolvedBy the operator who decided
 */
export async function refuseRoutine(
  db: Db,
  { id, unansweredSends }: Pick<RoutineRow, "id" | "unansweredSends">,
  { failureReason, resolvedBy = null }: { failureReason: string; resolvedBy?: string | null },
): Promise<boolean> {
  const { rowCount } = await db
    .update(routines)
    .set({ state: "refused", failureReason, resolvedBy, unansweredSends: 0, nextTryAt: null, updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.state, "unanswered"), eq(routines.unansweredSends, unansweredSends)));
  return rowCount === 1;
}

/**
 * Why an unanswered routine isn't resent. `no_answer`: its key is too old. `answer_not_understood`: the answer was a
 * success. `not_listed`: the service refuses it, doesn't list it, and can't void its key.
 */
export type StopReason = "no_answer" | "answer_not_understood" | "not_listed";

/** Stops resending a routine. Reports about it still count. */
export async function stopSending(db: Db, id: string, reason: StopReason): Promise<void> {
  await db
    .update(routines)
    .set({ failureReason: sql`coalesce(${routines.failureReason}, ${reason})` })
    .where(and(eq(routines.id, id), isUnanswered));
}
