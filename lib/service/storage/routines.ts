import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { type TransferStatus, transferStatuses } from "../../contract/statuses.ts";
import type { ClientListOptions, Db, RowOfClient, RowOfUser } from "./database.ts";
import { keysetPage, type Page } from "./pagination.ts";
import { routines, transfers } from "./schema.ts";

type Routine = typeof routines.$inferSelect;
type Transfer = typeof transfers.$inferSelect;

export type RoutineWithTransfer = Pick<Routine, "id" | "name" | "status" | "createdAt" | "updatedAt"> &
  Pick<Transfer, "amountCents" | "sourceId" | "destinationId"> & { transferId: string };

/** Undefined if it's missing or another user's. */
export async function findRoutine(db: Db, { id, userId }: RowOfUser): Promise<RoutineWithTransfer | undefined> {
  const [row] = await selectRoutines(db, and(eq(routines.id, id), eq(routines.userId, userId)));
  return row;
}

/** Newest first. */
export function listRoutines(
  db: Db,
  { userId, limit, startingAfter }: Page & { userId: string },
): Promise<RoutineWithTransfer[]> {
  const { isOnPage, newestFirst } = keysetPage([[routines.userId, userId]], routines.id, startingAfter);
  // This order makes the join start with the user's routines instead of the newest transfers of all users.
  return selectRoutines(db, isOnPage).orderBy(newestFirst).limit(limit);
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

export type TransferOfRoutine = Omit<Transfer, "clientId" | "userId" | "dueRealAt"> & { routineName: string };

export type TransferFilter = { routineId: string | undefined; status: TransferStatus | undefined };

/** A transfer of the user's routines or to the user's accounts; otherwise undefined. */
export async function findTransfer(db: Db, { id, userId }: RowOfUser): Promise<TransferOfRoutine | undefined> {
  const [row] = await selectTransfers(db, and(eq(transfers.id, id), isReadableBy(userId)));
  return row;
}

/** Undefined if it's missing or another client's. */
export async function findTransferOfClient(
  db: Db,
  { id, clientId }: RowOfClient,
): Promise<TransferOfRoutine | undefined> {
  const [row] = await selectTransfers(db, and(eq(transfers.id, id), eq(transfers.clientId, clientId)));
  return row;
}

/** The user's transfers, paid and received, newest first. */
export function listTransfers(
  db: Db,
  { userId, limit, startingAfter, routineId, status }: Page & TransferFilter & { userId: string },
): Promise<TransferOfRoutine[]> {
  if (routineId) {
    const isOnPage = and(
      eq(transfers.routineId, routineId),
      startingAfter ? lt(transfers.id, startingAfter) : undefined,
      status ? eq(transfers.status, status) : undefined,
    );
    return selectTransfers(db, and(isOnPage, isReadableBy(userId))).limit(limit);
  }
  const candidates = sql.join(newestOfEach({ userId, limit, startingAfter, status }), sql` union `);
  const newest = sql`select id from (${candidates}) candidate order by id desc limit ${limit}`;
  return selectTransfers(db, sql`${transfers.id} in (${newest})`).orderBy(desc(transfers.id)).limit(limit);
}

/** Newest first. Only the client's business user orders transfers. */
export function listTransfersOfClient(db: Db, { clientId, limit }: ClientListOptions): Promise<TransferOfRoutine[]> {
  const newest = newestTransfersOfClient({ clientId, limit, startingAfter: undefined, statuses: transferStatuses });
  return selectTransfers(db, sql`${transfers.id} in (${newest})`).orderBy(desc(transfers.id)).limit(limit);
}

/**
 * The ids of a client's newest transfers with these statuses. By its business user, because transfers have no index by
 * client.
 */
export function newestTransfersOfClient({
  clientId,
  statuses,
  ...page
}: Page & { clientId: string; statuses: readonly TransferStatus[] }): SQL {
  return sql`
    select ordered.id from users u cross join ${eachOf(statuses)}
      cross join lateral (${newestOfOne(sql`t.user_id`, sql`u.id`, page)}) ordered
    where u.client_id = ${clientId} and u.user_type = 'business'
    order by ordered.id desc limit ${page.limit}`;
}

// One short index scan per status and side, paid and received. A condition with "or" would read all of the user's
// transfers.
function newestOfEach({
  userId,
  limit,
  startingAfter,
  status,
}: Page & Pick<TransferFilter, "status"> & { userId: string }) {
  const page = { limit, startingAfter };
  const statuses = status ? [status] : transferStatuses;
  return [
    sql`
      select sent.id from ${eachOf(statuses)}
        cross join lateral (${newestOfOne(sql`t.user_id`, sql`${userId}`, page)}) sent`,
    sql`
      select received.id from accounts a cross join ${eachOf(statuses)}
        cross join lateral (${newestOfOne(sql`t.destination_id`, sql`a.id`, page)}) received
      where a.user_id = ${userId}`,
  ];
}

function eachOf(statuses: readonly TransferStatus[]): SQL {
  return sql`unnest(${sql.param(statuses)}::text[]) as wanted (status)`;
}

function newestOfOne(side: SQL, owner: SQL, { limit, startingAfter }: Page): SQL {
  const { isOnPage, newestFirst } = keysetPage(
    [
      [side, owner],
      [sql`t.status`, sql`wanted.status`],
    ],
    sql`t.id`,
    startingAfter,
  );
  return sql`select t.id from transfers t where ${isOnPage} order by ${newestFirst} limit ${limit}`;
}

function isReadableBy(userId: string): SQL {
  return sql`(${transfers.userId} = ${userId} or exists (
    select from accounts a where a.id = ${transfers.destinationId} and a.user_id = ${userId}))`;
}

function selectTransfers(db: Db, condition: SQL | undefined) {
  return db
    .select({
      id: transfers.id,
      routineId: transfers.routineId,
      routineName: routines.name,
      amountCents: transfers.amountCents,
      sourceId: transfers.sourceId,
      destinationId: transfers.destinationId,
      status: transfers.status,
      failureReason: transfers.failureReason,
      createdAt: transfers.createdAt,
      updatedAt: transfers.updatedAt,
    })
    .from(transfers)
    .innerJoin(routines, eq(routines.id, transfers.routineId))
    .where(condition);
}
