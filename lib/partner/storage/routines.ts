import { and, desc, eq, getTableColumns, ilike, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
import { routineEvents, routines, serviceUsers } from "./schema.ts";

/**
 * A routine as Harbor last heard of it. `submitting`: its first request is under way. `unanswered`: a request left, and
 * whether it created something is being found out. `refused`: nothing was created, for certain.
 */
export type RoutineRow = typeof routines.$inferSelect;
/** A row with the name of whom it pays. */
export type RoutineWithSeller = RoutineRow & { sellerName: string };
export type RoutineEvent = Omit<typeof routineEvents.$inferSelect, "routineId">;

/** What is paid, from where to where, and for what: two routines that agree in it cannot be told apart at the service. */
export type PaymentDetails = Pick<RoutineRow, "name" | "amountCents" | "sourceId" | "destinationId">;
export type NewRoutine = PaymentDetails &
  Pick<RoutineRow, "id" | "idempotencyKey" | "createdBy" | "sellerUserId" | "traceId">;

const isUnanswered = inArray(routines.status, ["submitting", "unanswered"]);
// Longer than one request with its refreshes can take, so that whoever sent it has given up or is gone.
const sendSeconds = 60;
const firstSend = {
  status: "submitting",
  failureReason: null,
  unansweredSends: 1,
  firstSentRealAt: sql`now()`,
  lastSentRealAt: sql`now()`,
  tries: 0,
  nextTryAt: inSeconds(sendSeconds),
  createdAt: harborNow,
  updatedAt: harborNow,
};

function inSeconds(seconds: number): SQL {
  return sql`${harborNow} + make_interval(secs => ${seconds})`;
}

/**
 * Notes a routine and that its request leaves now. The key is the judge: for one that was used before, the row that it
 * stands for comes back with `isNew` false, and nothing is to be sent. A routine that was refused for certain makes room
 * for the same form put right.
 */
export async function insertRoutine(db: Db, routine: NewRoutine): Promise<RoutineRow & { isNew: boolean }> {
  const { id, ...values } = routine;
  const [inserted] = await db
    .insert(routines)
    .values({ id, ...values, ...firstSend })
    .onConflictDoUpdate({
      target: routines.idempotencyKey,
      set: { ...values, ...firstSend },
      setWhere: eq(routines.status, "refused"),
    })
    .returning();
  if (inserted) return { ...inserted, isNew: true };
  const [known] = await db.select().from(routines).where(eq(routines.idempotencyKey, routine.idempotencyKey));
  if (known) return { ...known, isNew: false };
  // Deleted between the two statements, as refused: then this is the first again.
  return insertRoutine(db, routine);
}

/** Notes that an unanswered routine is sent once more. False when its end became known meanwhile: then it must not be. */
export async function beginSend(db: Db, id: string): Promise<boolean> {
  const begun = await db
    .update(routines)
    .set({ unansweredSends: sql`${routines.unansweredSends} + 1`, lastSentRealAt: sql`now()` })
    .where(and(eq(routines.id, id), eq(routines.status, "unanswered")))
    .returning({ id: routines.id });
  return begun.length > 0;
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
    .where(and(eq(routines.id, id), eq(routines.status, "submitting"), eq(routines.unansweredSends, 0)))
    .returning({ id: routines.id });
  return deleted.length > 0;
}

/** Keeps in mind that a request brought no answer, and that it is to be found out in so many seconds what became of it. */
export async function keepUnanswered(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .update(routines)
    .set({ status: "unanswered", nextTryAt: inSeconds(seconds), updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.status, "submitting")));
}

/** What the service said about a routine and its transfer. */
export type RoutineState = {
  status: string;
  statusSince: Date;
  transferStatus: string;
  transferStatusSince: Date;
  failureReason: string | null;
};

/**
 * Moves a routine and its transfer on. Each leaves its first status once and then rests (Decision D7), so whoever fetched
 * an older state than another did a moment before moves nothing back. What the service says of a routine ends every doubt
 * about it. With `readAgain` Harbor looks at it once more by itself.
 */
export async function moveRoutine(
  db: Db,
  id: string,
  state: RoutineState & Partial<Pick<RoutineRow, "serviceRoutineId" | "transferId">>,
  { readAgain = false } = {},
): Promise<void> {
  const { status, statusSince, transferStatus, transferStatusSince, failureReason, ...columns } = state;
  const isAtRest = sql`${routines.status} not in ('submitting', 'unanswered', 'refused', 'active')`;
  const isTransferOpen = sql`coalesce(${routines.transferStatus}, 'pending') = 'pending'`;
  await db
    .update(routines)
    .set({
      ...columns,
      status: sql`case when ${isAtRest} then ${routines.status} else ${status} end`,
      transferStatus: sql`case when ${isTransferOpen} then ${transferStatus} else ${routines.transferStatus} end`,
      failureReason: sql`case when ${isAtRest} then coalesce(${failureReason}, ${routines.failureReason}) else ${failureReason} end`,
      unansweredSends: 0,
      tries: 0,
      nextTryAt: readAgain ? harborNow : null,
      updatedAt: harborNow,
    })
    .where(eq(routines.id, id));
  await db
    .insert(routineEvents)
    .values([
      { routineId: id, resource: "routine", status, occurredAt: statusSince },
      { routineId: id, resource: "transfer", status: transferStatus, occurredAt: transferStatusSince },
    ])
    .onConflictDoNothing();
}

/**
 * Ends the wait of a routine that was never created. Nothing changes when it was sent again meanwhile, or resolved.
 * @param routine as it was when it was judged
 */
export async function refuseRoutine(
  db: Db,
  { id, unansweredSends }: Pick<RoutineRow, "id" | "unansweredSends">,
  failureReason: string,
): Promise<void> {
  await db
    .update(routines)
    .set({ status: "refused", failureReason, unansweredSends: 0, nextTryAt: null, updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.status, "unanswered"), eq(routines.unansweredSends, unansweredSends)));
}

/** Notes that a routine is not sent again by itself; whatever is heard of it still counts. */
export async function stopSending(db: Db, id: string): Promise<void> {
  await db
    .update(routines)
    .set({ failureReason: "no_answer" })
    .where(and(eq(routines.id, id), eq(routines.status, "unanswered")));
}

/** A routine that is to be looked at. `isKeyLive`: its key is younger than asked for. `isQuiet`: no request of it can be under way. */
export type DueRoutine = RoutineRow & { isKeyLive: boolean; isQuiet: boolean };

/**
 * Takes up to `limit` routines that are due to be looked at; each falls due again when its request could be over. One
 * whose sender is gone becomes `unanswered`.
 */
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
      status: sql`case ${routines.status} when 'submitting' then 'unanswered' else ${routines.status} end`,
      tries: sql`${routines.tries} + 1`,
      nextTryAt: inSeconds(sendSeconds),
    })
    .where(inArray(routines.id, due))
    .returning({
      ...getTableColumns(routines),
      isKeyLive: sql<boolean>`${routines.createdAt} > ${harborNow} - make_interval(hours => ${keyHours})`,
      isQuiet: sql<boolean>`${routines.lastSentRealAt} <= now() - make_interval(secs => ${quietSeconds})`,
    });
}

/** Has a routine looked at again in so many seconds, if there is still a reason to. */
export async function postponeRoutine(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .update(routines)
    .set({ nextTryAt: inSeconds(seconds) })
    .where(and(eq(routines.id, id), isNotNull(routines.nextTryAt)));
}

/** The routines that are exactly this payment and of which the service's id is not known. */
export async function listUnansweredLike(db: Db, details: PaymentDetails): Promise<RoutineRow[]> {
  const { name, amountCents, sourceId, destinationId } = details;
  return db
    .select()
    .from(routines)
    .where(
      and(
        isNull(routines.serviceRoutineId),
        eq(routines.name, name),
        eq(routines.amountCents, amountCents),
        eq(routines.sourceId, sourceId),
        eq(routines.destinationId, destinationId),
      ),
    );
}

/** Whether there is any routine of which it is not known yet what became of it. */
export async function hasUnansweredRoutine(db: Db): Promise<boolean> {
  const [row] = await db
    .select({ id: routines.id })
    .from(routines)
    .where(and(isNull(routines.serviceRoutineId), isUnanswered))
    .limit(1);
  return row !== undefined;
}

/** The routine that the service knows by this id, or whose transfer it does. */
export async function findRoutineByServiceId(
  db: Db,
  id: { serviceRoutineId: string } | { transferId: string },
): Promise<RoutineRow | undefined> {
  const condition =
    "transferId" in id ? eq(routines.transferId, id.transferId) : eq(routines.serviceRoutineId, id.serviceRoutineId);
  const [row] = await db.select().from(routines).where(condition);
  return row;
}

/** One routine with whom it pays, by Harbor's id. */
export async function findRoutine(db: Db, id: string): Promise<RoutineWithSeller | undefined> {
  const [row] = await selectWithSeller(db).where(eq(routines.id, id));
  return row && { ...row.routine, sellerName: row.sellerName };
}

/** What happened to a routine and its transfer, oldest first. */
export async function listRoutineEvents(db: Db, routineId: string): Promise<RoutineEvent[]> {
  return (
    db
      .select({
        resource: routineEvents.resource,
        status: routineEvents.status,
        occurredAt: routineEvents.occurredAt,
      })
      .from(routineEvents)
      .where(eq(routineEvents.routineId, routineId))
      // Both change in one moment: a routine is begun before its transfer and ends after it.
      .orderBy(
        routineEvents.occurredAt,
        sql`array_position(array['active', 'pending'], ${routineEvents.status}) nulls last`,
        desc(routineEvents.resource),
      )
  );
}

export type RoutineFilter = { statuses?: readonly string[]; search?: string; before?: string; limit: number };

/** Routines, newest first; `search` looks at the name and at whom it pays, `before` is the last id of the page before. */
export async function listRoutines(db: Db, filter: RoutineFilter): Promise<RoutineWithSeller[]> {
  const conditions: SQL[] = [];
  if (filter.statuses) conditions.push(inArray(routines.status, [...filter.statuses]));
  if (filter.before) conditions.push(lt(routines.id, filter.before));
  if (filter.search) {
    const pattern = `%${filter.search.replaceAll(/[\\%_]/g, "\\$&")}%`;
    conditions.push(sql`(${ilike(routines.name, pattern)} or ${ilike(sellerName, pattern)})`);
  }
  const rows = await selectWithSeller(db)
    .where(and(...conditions))
    .orderBy(desc(routines.id))
    .limit(filter.limit);
  return rows.map((row) => ({ ...row.routine, sellerName: row.sellerName }));
}

const sellerName = sql<string>`coalesce(${serviceUsers.firstName} || ' ' || ${serviceUsers.lastName}, '')`;

function selectWithSeller(db: Db) {
  return db
    .select({ routine: routines, sellerName })
    .from(routines)
    .leftJoin(serviceUsers, eq(serviceUsers.id, routines.sellerUserId))
    .$dynamic();
}
