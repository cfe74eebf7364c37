import {
  and,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { type Db, harborNow } from "./database.ts";
import { inSeconds, isUnanswered, type PaymentDetails } from "./routine-sends.ts";
import { hasOpenSecondRecord, type RoutineRow } from "./routines.ts";
import { openRoutineStates, routines } from "./schema.ts";

// Longer than one check can take, including its requests.
const checkSeconds = 60;

/** A routine to check. `isKeyLive`: its key can still be used. `isQuiet`: no request can still be in flight. */
export type DueRoutine = RoutineRow & { isKeyLive: boolean; isQuiet: boolean };

/** Claims up to `limit` due routines. A `submitting` one whose sender is gone becomes `unanswered`. */
export async function claimDueRoutines(
  db: Db,
  { limit, keyHours, quietSeconds }: { limit: number; keyHours: number; quietSeconds: number },
): Promise<DueRoutine[]> {
  const due = db
    .select({ id: routines.id })
    .from(routines)
    .where(lte(routines.nextTryAt, harborNow))
    .orderBy(routines.nextTryAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(routines)
    .set({
      state: sql`case ${routines.state} when 'submitting' then 'unanswered' else ${routines.state} end`,
      tries: sql`${routines.tries} + 1`,
      nextTryAt: inSeconds(checkSeconds),
    })
    .where(inArray(routines.id, due))
    .returning({
      ...getTableColumns(routines),
      isKeyLive: sql<boolean>`${routines.createdAt} > ${harborNow} - make_interval(hours => ${keyHours})`,
      isQuiet: isQuietFor(quietSeconds),
    });
}

/** Schedules a routine's next check, unless news just did. A routine that has ended gets `checksAfterEnd` more. */
export async function postponeRoutine(
  db: Db,
  id: string,
  { seconds, checksAfterEnd }: { seconds: number; checksAfterEnd: number },
): Promise<void> {
  const isEnough = and(notInArray(routines.state, [...openRoutineStates]), gt(routines.tries, checksAfterEnd));
  await db
    .update(routines)
    .set({ nextTryAt: sql`case when ${isEnough} then null else ${inSeconds(seconds)} end` })
    .where(and(eq(routines.id, id), isNotNull(routines.nextTryAt), gt(routines.tries, 0)));
}

/** The routines with these details but no id at the service, except those that Harbor ended after voiding their key. */
export async function listMatchingUnanswered(db: Db, details: PaymentDetails): Promise<RoutineRow[]> {
  // Without a voided key, only an operator can end one as never created.
  const isPossible = or(ne(routines.state, "refused"), isNotNull(routines.resolvedBy));
  return db
    .select()
    .from(routines)
    .where(and(hasNoId, isPossible, matchesDetails(details)));
}

/** The unanswered routines that have these details; an undefined or empty one fits any. */
export async function listPossiblyUnanswered(
  db: Db,
  details: { [Name in keyof PaymentDetails]: PaymentDetails[Name] | undefined },
): Promise<RoutineRow[]> {
  const { name, amountCents, sourceId, destinationId } = details;
  return db
    .select()
    .from(routines)
    .where(
      and(
        isWithoutAnswer,
        name ? eq(routines.name, name) : undefined,
        amountCents ? eq(routines.amountCents, amountCents) : undefined,
        sourceId ? eq(routines.sourceId, sourceId) : undefined,
        destinationId ? eq(routines.destinationId, destinationId) : undefined,
      ),
    );
}

/** The routines with these details that might have been paid without a clear report. */
export async function listMatchingUnsettled(db: Db, details: PaymentDetails): Promise<RoutineRow[]> {
  const isDoubtful = inArray(routines.state, ["missing", "conflicting"]);
  const isConfirmed = and(isNotNull(routines.endConfirmedAt), eq(routines.state, "succeeded"));
  return db
    .select()
    .from(routines)
    .where(and(or(hasNoId, isDoubtful, isConfirmed), matchesDetails(details)));
}

/** The routines with these details that have an id at the service and were resent. */
export async function listMatchingReplayed(db: Db, details: PaymentDetails): Promise<RoutineRow[]> {
  return db
    .select()
    .from(routines)
    .where(and(not(hasNoId), matchesDetails(details), gt(routines.replays, 0)));
}

/** Whether a payment to this account (or any account) is being sent right now. */
export async function hasPendingRoutineTo(db: Db, destinationId: string | undefined): Promise<boolean> {
  const isTo = destinationId === undefined ? undefined : eq(routines.destinationId, destinationId);
  return isAny(db, and(hasNoId, eq(routines.state, "submitting"), isTo));
}

export async function countMissingOf(db: Db, ids: string[]): Promise<number> {
  return db.$count(routines, and(inArray(routines.id, ids), eq(routines.state, "missing")));
}

export async function hasUnansweredRoutine(db: Db): Promise<boolean> {
  return isAny(db, isWithoutAnswer);
}

/** Whether any second record is unacknowledged. */
export async function hasSecondRecord(db: Db): Promise<boolean> {
  return (await findPaidTwice(db)) !== undefined;
}

/** The id of a routine with an unacknowledged second record. */
export async function findPaidTwice(db: Db): Promise<string | undefined> {
  const [row] = await db.select({ id: routines.id }).from(routines).where(hasOpenSecondRecord).limit(1);
  return row?.id;
}

export async function acknowledgeSecondRecord(db: Db, id: string, personId: string): Promise<void> {
  await db
    .update(routines)
    .set({ secondSeenBy: personId })
    .where(and(eq(routines.id, id), hasOpenSecondRecord));
}

/** Ends a conflicting payment as the operator confirmed. False if another operator was faster. */
export async function confirmEnd(
  db: Db,
  id: string,
  { state, personId }: { state: "succeeded" | "failed"; personId: string },
): Promise<boolean> {
  const { rowCount } = await db
    .update(routines)
    .set({ state, resolvedBy: personId, endConfirmedAt: harborNow, nextTryAt: null, updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.state, "conflicting")));
  return rowCount === 1;
}

/** Whether the routine's last request was sent at least this many seconds ago. */
export async function isRoutineQuiet(db: Db, id: string, seconds: number): Promise<boolean> {
  return isAny(db, and(eq(routines.id, id), isQuietFor(seconds)));
}

function isQuietFor(seconds: number): SQL<boolean> {
  return sql<boolean>`${routines.lastSentRealAt} <= now() - make_interval(secs => ${seconds})`;
}

/** Stores a routine's second record. False if a routine already has that record or its transfer. */
export async function flagSecondRecord(db: Db, id: string, secondId: string, transferId?: string): Promise<boolean> {
  const isItsTransfer = transferId === undefined ? undefined : eq(routines.transferId, transferId);
  const itsOwner = db
    .select({ id: routines.id })
    .from(routines)
    .where(or(eq(routines.serviceRoutineId, secondId), isItsTransfer));
  const { rowCount } = await db
    .update(routines)
    .set({ secondServiceRoutineId: secondId, updatedAt: harborNow })
    .where(and(eq(routines.id, id), isNull(routines.secondServiceRoutineId), not(exists(itsOwner))));
  return rowCount === 1;
}

const hasNoId = and(isNull(routines.serviceRoutineId), isNull(routines.transferId)) ?? sql`false`;
const isWithoutAnswer = and(hasNoId, isUnanswered);

export function matchesDetails({ name, amountCents, sourceId, destinationId }: PaymentDetails) {
  return and(
    eq(routines.name, name),
    eq(routines.amountCents, amountCents),
    eq(routines.sourceId, sourceId),
    eq(routines.destinationId, destinationId),
  );
}

async function isAny(db: Db, condition: SQL | undefined): Promise<boolean> {
  const [row] = await db.select({ id: routines.id }).from(routines).where(condition).limit(1);
  return row !== undefined;
}
