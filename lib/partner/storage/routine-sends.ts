import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { type Db, harborNow } from "./database.ts";
import { findRoutineByKey, type RoutineRow } from "./routines.ts";
import { routines } from "./schema.ts";

/** What is paid, from where to where, and for what: two routines that agree in it cannot be told apart at the service. */
export type PaymentDetails = Pick<RoutineRow, "name" | "amountCents" | "sourceId" | "destinationId">;
/** A payment to be sent, with the key under which it is sent and the operator who makes it. */
export type NewRoutine = PaymentDetails &
  Pick<RoutineRow, "id" | "idempotencyKey" | "createdBy" | "sellerUserId" | "traceId">;

const isUnanswered = inArray(routines.state, ["submitting", "unanswered"]);
// Longer than one request with its refreshes can take, so that whoever sent it has given up or is gone.
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

/** Harbor's time in so many seconds. */
export function inSeconds(seconds: number): SQL {
  return sql`${harborNow} + make_interval(secs => ${seconds})`;
}

/**
 * Notes a routine and that its request leaves now. The key is the judge: for one that was used before, the row that it
 * stands for comes back with `isNew` false, and nothing is to be sent.
 */
export async function insertRoutine(db: Db, routine: NewRoutine): Promise<RoutineRow & { isNew: boolean }> {
  const [inserted] = await db
    .insert(routines)
    .values({ ...routine, ...firstSend })
    .onConflictDoNothing({ target: routines.idempotencyKey })
    .returning();
  if (inserted) return { ...inserted, isNew: true };
  const known = await findRoutineByKey(db, routine.idempotencyKey);
  if (known) return { ...known, isNew: false };
  // Deleted between the two statements, as refused: then this is the first again.
  return insertRoutine(db, routine);
}

/** Notes that an unanswered routine is sent once more. False when its end became known meanwhile: then it must not be. */
export async function beginSend(db: Db, id: string): Promise<boolean> {
  const begun = await db
    .update(routines)
    .set({
      unansweredSends: sql`${routines.unansweredSends} + 1`,
      replays: sql`${routines.replays} + 1`,
      lastSentRealAt: sql`now()`,
    })
    .where(and(eq(routines.id, id), eq(routines.state, "unanswered"), isNull(routines.failureReason)))
    .returning({ id: routines.id });
  return begun.length > 0;
}

/**
 * Notes that a payment which the service no longer has leaves again, under its own key. False when it is not missing any
 * more, or somebody else sends it: then it must not be sent.
 */
export async function beginSendingAgain(db: Db, { id, replays }: RoutineRow): Promise<boolean> {
  const { firstSentRealAt, createdAt, ...again } = firstSend;
  const begun = await db
    .update(routines)
    .set({ ...again, serviceRoutineId: null, transferId: null, missingRealAt: null, replays: replays + 1 })
    .where(and(eq(routines.id, id), eq(routines.state, "missing"), eq(routines.replays, replays)))
    .returning({ id: routines.id });
  return begun.length > 0;
}

/** Takes that back because the service refused: the payment is missing as before. @param row as it was before */
export async function takeBackSendingAgain(db: Db, row: RoutineRow): Promise<void> {
  const { id, replays, state, status, transferStatus, failureReason, resolvedBy } = row;
  const { serviceRoutineId, transferId, missingRealAt, lastSentRealAt } = row;
  const before = { state, status, transferStatus, failureReason, resolvedBy, serviceRoutineId, transferId, replays };
  await db
    .update(routines)
    .set({ ...before, missingRealAt, lastSentRealAt, unansweredSends: 0 })
    .where(and(eq(routines.id, id), eq(routines.state, "submitting"), eq(routines.replays, replays + 1)));
}

/**
 * Takes back one request, which the service refused: that one created nothing. True when there was no other, so that the
 * routine is forgotten, and its key may be used again.
 */
export async function takeBackRefusedSend(tx: Db, { id }: Pick<RoutineRow, "id">): Promise<boolean> {
  await tx
    .update(routines)
    .set({ unansweredSends: sql`${routines.unansweredSends} - 1` })
    .where(and(eq(routines.id, id), isUnanswered));
  const deleted = await tx
    .delete(routines)
    .where(and(eq(routines.id, id), eq(routines.state, "submitting"), eq(routines.unansweredSends, 0)))
    .returning({ id: routines.id });
  return deleted.length > 0;
}

/** Keeps in mind that a request brought no answer, and that it is to be found out in so many seconds what became of it. */
export async function markUnanswered(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .update(routines)
    .set({ state: "unanswered", nextTryAt: inSeconds(seconds), updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.state, "submitting")));
}

/**
 * Ends the wait of a routine that was never created. False, and nothing changes, when it was sent again meanwhile, or resolved.
 * @param routine as it was when it was judged
 * @param resolvedBy the person who said so, where nothing else could
 */
export async function refuseRoutine(
  db: Db,
  { id, unansweredSends }: Pick<RoutineRow, "id" | "unansweredSends">,
  { failureReason, resolvedBy = null }: { failureReason: string; resolvedBy?: string | null },
): Promise<boolean> {
  const refused = await db
    .update(routines)
    .set({ state: "refused", failureReason, resolvedBy, unansweredSends: 0, nextTryAt: null, updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.state, "unanswered"), eq(routines.unansweredSends, unansweredSends)))
    .returning({ id: routines.id });
  return refused.length > 0;
}

/**
 * Why an unanswered routine is not sent again by itself: `no_answer`, its key is too old; `answer_not_understood`, it was
 * answered with success, so that it happened; `not_listed`, the service refuses it, lists it nowhere, and cannot void its key.
 */
export type StopReason = "no_answer" | "answer_not_understood" | "not_listed";

/** Notes that a routine is not sent again by itself; whatever is heard of it still counts. */
export async function stopSending(db: Db, id: string, reason: StopReason): Promise<void> {
  await db
    .update(routines)
    .set({ failureReason: sql`coalesce(${routines.failureReason}, ${reason})` })
    .where(and(eq(routines.id, id), isUnanswered));
}
