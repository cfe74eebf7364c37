import { and, eq, type SQL } from "drizzle-orm";
import type { RoutineStatus } from "../../contract/statuses.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./newest-of-owner.ts";
import { routines, transfers } from "./schema.ts";

/** A routine together with what its one transfer moves; amount in cents. */
export type RoutineWithTransfer = {
  id: string;
  name: string;
  status: RoutineStatus;
  transferId: string;
  amountCents: number;
  sourceId: string;
  destinationId: string;
  createdAt: Date;
  updatedAt: Date;
};

/** Which part of a list to read: at most `limit` rows, after the row `startingAfter` in the list's order. */
export type Page = { limit: number; startingAfter: string | undefined };

/** One routine of this user, or undefined when it is missing or somebody else's. */
export async function findRoutine(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<RoutineWithTransfer | undefined> {
  const [row] = await selectRoutines(db, and(eq(routines.id, id), eq(routines.userId, userId)));
  return row;
}

/** A user's routines, newest first. */
export function listRoutines(
  db: Db,
  { userId, limit, startingAfter }: Page & { userId: string },
): Promise<RoutineWithTransfer[]> {
  const { isAsked, newestFirst } = newestOfOwner([[routines.userId, userId]], routines.id, startingAfter);
  // In this order the join begins with the user's routines. By id alone it could begin with the newest transfers of all.
  return selectRoutines(db, isAsked).orderBy(newestFirst).limit(limit);
}

function selectRoutines(db: Db, condition: SQL | undefined) {
  return db
    .select({
      id: routines.id,
      name: routines.name,
      status: routines.status,
      transferId: transfers.id,
      amountCents: transfers.amountCents,
      sourceId: transfers.sourceId,
      destinationId: transfers.destinationId,
      createdAt: routines.createdAt,
      updatedAt: routines.updatedAt,
    })
    .from(routines)
    .innerJoin(transfers, eq(transfers.routineId, routines.id))
    .where(condition);
}
