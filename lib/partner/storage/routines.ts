import { and, desc, eq, ilike, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Money } from "#client";
import { type Db, harborNow } from "./database.ts";
import { type BalanceMoment, type RoutineState, routineEvents, routines, serviceUsers } from "./schema.ts";

export type RoutineRow = typeof routines.$inferSelect;
export type RoutineWithSeller = RoutineRow & { sellerName: string };
export type RoutineEvent = Omit<typeof routineEvents.$inferSelect, "routineId">;

export async function findRoutineByServiceId(
  db: Db,
  id: { serviceRoutineId: string } | { transferId: string },
): Promise<RoutineRow | undefined> {
  const condition =
    "transferId" in id ? eq(routines.transferId, id.transferId) : eq(routines.serviceRoutineId, id.serviceRoutineId);
  const [row] = await db.select().from(routines).where(condition);
  return row;
}

/** The routine with this record as its first or second. */
export async function findRoutineOfRecord(
  db: Db,
  { id, transfer_id }: { id: string; transfer_id?: string | undefined },
): Promise<RoutineRow | undefined> {
  const isItsOwn = eq(routines.serviceRoutineId, id);
  const isItsTransfer = transfer_id === undefined ? undefined : eq(routines.transferId, transfer_id);
  const [row] = await db
    .select()
    .from(routines)
    .where(or(isItsOwn, isItsTransfer, eq(routines.secondServiceRoutineId, id)))
    .orderBy(sql`${isItsOwn} desc nulls last`)
    .limit(1);
  return row;
}

export async function findRoutineByKey(db: Db, key: string): Promise<RoutineRow | undefined> {
  const [row] = await db.select().from(routines).where(eq(routines.idempotencyKey, key));
  return row;
}

export async function findRoutine(db: Db, id: string): Promise<RoutineWithSeller | undefined> {
  const [row] = await selectWithSeller(db).where(eq(routines.id, id));
  return row && { ...row.routine, sellerName: row.sellerName };
}

export async function lockRoutine(tx: Db, id: string): Promise<RoutineRow | undefined> {
  const [row] = await tx.select().from(routines).where(eq(routines.id, id)).for("update");
  return row;
}

export async function changeRoutine(tx: Db, id: string, columns: PgUpdateSetSource<typeof routines>): Promise<void> {
  await tx
    .update(routines)
    .set({ ...columns, updatedAt: harborNow })
    .where(eq(routines.id, id));
}

/** Deletes the adopted payment with one of these ids: it turned out to be one that Harbor sent. */
export async function deleteFoundRoutine(
  tx: Db,
  { serviceRoutineId, transferId }: { serviceRoutineId?: string | undefined; transferId?: string | undefined },
): Promise<void> {
  const isTheSame = or(
    serviceRoutineId === undefined ? undefined : eq(routines.serviceRoutineId, serviceRoutineId),
    transferId === undefined ? undefined : eq(routines.transferId, transferId),
  );
  if (!isTheSame) return;
  const found = and(isNull(routines.createdBy), isTheSame);
  await tx
    .delete(routineEvents)
    .where(inArray(routineEvents.routineId, tx.select({ id: routines.id }).from(routines).where(found)));
  await tx.delete(routines).where(found);
}

export async function storeRoutineBalance(db: Db, id: string, moment: BalanceMoment, balance: Money): Promise<void> {
  const kept = sql`jsonb_build_object(${moment}::text, jsonb_build_object('reported', ${JSON.stringify(balance)}::jsonb, 'at',
    to_char(${harborNow} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`;
  await db
    .update(routines)
    .set({ balances: sql`${routines.balances} || ${kept}` })
    .where(eq(routines.id, id));
}

export async function insertRoutineEvents(tx: Db, routineId: string, events: RoutineEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx
    .insert(routineEvents)
    .values(events.map((event) => ({ routineId, ...event })))
    .onConflictDoNothing();
}

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
      // At the same moment, a routine starts before its transfer and ends after it.
      .orderBy(
        routineEvents.occurredAt,
        sql`array_position(array['active', 'pending'], ${routineEvents.status}) nulls last`,
        desc(routineEvents.resource),
      )
  );
}

/** Which routines need an operator; unanswered ones only if Harbor doesn't resend them. */
type Attention = { isReplayTrusted: boolean };

export type RoutineFilter = {
  states?: readonly RoutineState[];
  attention?: Attention;
  search?: string;
  before?: string;
  limit: number;
};

/** Routines, newest first; `search` matches name and seller, `before` is the previous page's last id. */
export async function listRoutines(db: Db, filter: RoutineFilter): Promise<RoutineWithSeller[]> {
  const conditions: SQL[] = [];
  if (filter.states) conditions.push(inArray(routines.state, [...filter.states]));
  if (filter.attention) conditions.push(needsOperator(filter.attention));
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

export async function countNeedingOperator(db: Db, attention: Attention): Promise<number> {
  return db.$count(routines, needsOperator(attention));
}

/** Whether the routine has a second record that no operator has acknowledged. */
export const hasOpenSecondRecord = sql<boolean>`(${isNotNull(routines.secondServiceRoutineId)} and ${isNull(routines.secondSeenBy)})`;

function needsOperator({ isReplayTrusted }: Attention): SQL {
  const isDoubtful = or(inArray(routines.state, ["missing", "conflicting", "unanswered"]), hasOpenSecondRecord);
  const isNotResent = or(ne(routines.state, "unanswered"), isNotNull(routines.failureReason));
  return sql`(${and(isDoubtful, isReplayTrusted ? isNotResent : undefined)})`;
}

const sellerName = sql<string>`coalesce(${serviceUsers.firstName} || ' ' || ${serviceUsers.lastName}, '')`;

function selectWithSeller(db: Db) {
  return db
    .select({ routine: routines, sellerName })
    .from(routines)
    .leftJoin(serviceUsers, eq(serviceUsers.id, routines.sellerUserId))
    .$dynamic();
}
