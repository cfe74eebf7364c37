import { and, desc, eq, ilike, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
import { routineEvents, routines, serviceUsers } from "./schema.ts";

/** A routine as Harbor last heard of it: `submitting` until the service answered, `refused` if it said no later on. */
export type RoutineRow = typeof routines.$inferSelect;
/** A row with the name of whom it pays. */
export type RoutineWithSeller = RoutineRow & { sellerName: string };
export type RoutineEvent = Omit<typeof routineEvents.$inferSelect, "routineId">;

export type NewRoutine = Pick<
  RoutineRow,
  | "id"
  | "idempotencyKey"
  | "createdBy"
  | "name"
  | "amountCents"
  | "sourceId"
  | "destinationId"
  | "sellerUserId"
  | "traceId"
>;

/** Notes what is about to be sent. The key is the judge: for one that was used before, the row it stands for comes back. */
export async function insertRoutine(db: Db, routine: NewRoutine): Promise<RoutineRow> {
  const [row] = await db
    .insert(routines)
    .values({ ...routine, status: "submitting", createdAt: harborNow, updatedAt: harborNow })
    // An update that changes nothing, because only then the standing row is returned.
    .onConflictDoUpdate({ target: routines.idempotencyKey, set: { idempotencyKey: routine.idempotencyKey } })
    .returning();
  if (!row) throw new Error("An upsert returns its row.");
  return row;
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
 * an older state than another did a moment before moves nothing back.
 */
export async function moveRoutine(
  db: Db,
  id: string,
  state: RoutineState & Partial<Pick<RoutineRow, "serviceRoutineId" | "transferId">>,
): Promise<void> {
  const { status, statusSince, transferStatus, transferStatusSince, ...columns } = state;
  const isTransferOpen = sql`coalesce(${routines.transferStatus}, 'pending') = 'pending'`;
  await db
    .update(routines)
    .set({
      ...columns,
      status: sql`case when ${routines.status} in ('submitting', 'active') then ${status} else ${routines.status} end`,
      transferStatus: sql`case when ${isTransferOpen} then ${transferStatus} else ${routines.transferStatus} end`,
      failureReason: sql`coalesce(${state.failureReason}, ${routines.failureReason})`,
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

/** Forgets a routine that the service refused, so that nothing was created; its key may be used again. */
export async function deleteUnansweredRoutine(db: Db, id: string): Promise<void> {
  await db.delete(routines).where(and(eq(routines.id, id), eq(routines.status, "submitting")));
}

/** Ends the wait for an answer: the service said no in the end, or nothing for too long. */
export async function giveUpRoutine(
  db: Db,
  id: string,
  { status, failureReason }: { status: "refused" | "unanswered"; failureReason: string },
): Promise<void> {
  await db
    .update(routines)
    .set({ status, failureReason, updatedAt: harborNow })
    .where(and(eq(routines.id, id), eq(routines.status, "submitting")));
}

/** Takes up to `limit` routines that have waited for an answer for so many seconds; each falls due again after as many. */
export async function claimUnansweredRoutines(
  db: Db,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<RoutineRow[]> {
  const due = db
    .select({ id: routines.id })
    .from(routines)
    .where(
      and(
        eq(routines.status, "submitting"),
        lte(routines.updatedAt, sql`${harborNow} - make_interval(secs => ${seconds})`),
      ),
    )
    .orderBy(routines.updatedAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db.update(routines).set({ updatedAt: harborNow }).where(inArray(routines.id, due)).returning();
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
