import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { TransferStatus } from "../../contract/statuses.ts";
import type { Db } from "./database.ts";
import type { Page } from "./routines.ts";
import { accounts, routines, transfers } from "./schema.ts";

/** A transfer with its routine's name; amount in cents. */
export type TransferOfRoutine = {
  id: string;
  routineId: string;
  routineName: string;
  amountCents: number;
  sourceId: string;
  destinationId: string;
  status: TransferStatus;
  failureReason: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Which transfers of a list to keep. */
export type TransferFilter = { routineId: string | undefined; status: TransferStatus | undefined };

/** One transfer that this user may read: its routine's owner, or the owner of its destination. Otherwise undefined. */
export async function findTransfer(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<TransferOfRoutine | undefined> {
  const [row] = await selectTransfers(
    db,
    and(eq(transfers.id, id), sql`(${eq(transfers.userId, userId)} or ${isTowards(userId)})`),
  );
  return row;
}

/** One transfer of this client, or undefined when it is missing or another client's. */
export async function findTransferOfClient(
  db: Db,
  { id, clientId }: { id: string; clientId: string },
): Promise<TransferOfRoutine | undefined> {
  const [row] = await selectTransfers(db, and(eq(transfers.id, id), eq(transfers.clientId, clientId)));
  return row;
}

/** The transfers that this user may read, newest first. */
export function listTransfers(
  db: Db,
  { userId, limit, startingAfter, routineId, status }: Page & TransferFilter & { userId: string },
): Promise<TransferOfRoutine[]> {
  const filter = and(
    startingAfter ? lt(transfers.id, startingAfter) : undefined,
    routineId ? eq(transfers.routineId, routineId) : undefined,
    status ? eq(transfers.status, status) : undefined,
  );
  // Two short walks along an index each; one condition with "or" would read everything the user ever sent.
  const newest = (side: SQL) =>
    db.select({ id: transfers.id }).from(transfers).where(and(side, filter)).orderBy(desc(transfers.id)).limit(limit);
  const candidates = unionAll(newest(eq(transfers.userId, userId)), newest(isTowards(userId)));
  return selectTransfers(db, inArray(transfers.id, candidates)).orderBy(desc(transfers.id)).limit(limit);
}

function isTowards(userId: string): SQL {
  return sql`${transfers.destinationId} in (select ${accounts.id} from ${accounts} where ${accounts.userId} = ${userId})`;
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
