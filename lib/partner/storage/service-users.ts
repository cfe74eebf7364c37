import { and, eq, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
import { serviceUsers } from "./schema.ts";

/** What Harbor knows of a user of the service who authorized it. */
export type ServiceUserRow = typeof serviceUsers.$inferSelect;

type KnownUser = Pick<ServiceUserRow, "id" | "personId" | "userType" | "status" | "firstName" | "lastName">;

/** Draws the number of a read, before the service is asked; what an earlier read brings later changes nothing then. */
export async function beginRead(db: Db): Promise<number> {
  const { rows } = await db.execute<{ read: string }>(sql`select nextval('record_reads') as read`);
  const [row] = rows;
  if (!row) throw new Error("A sequence always has a next value.");
  return Number(row.read);
}

/**
 * Remembers a user who just authorized Harbor. Undefined, and nothing written, when the user belongs to another person,
 * or the person to another user.
 * @param recordRead the number of the read that brought the record
 */
export async function connectServiceUser(
  db: Db,
  user: KnownUser,
  recordRead: number,
): Promise<ServiceUserRow | undefined> {
  const { id, personId, ...record } = user;
  const [row] = await db
    .insert(serviceUsers)
    .values({ id, personId, ...record, recordRead, connectedAt: harborNow, updatedAt: harborNow })
    .onConflictDoNothing()
    .returning();
  if (row) return row;
  const isTheirs = and(eq(serviceUsers.id, id), sql`${serviceUsers.personId} is not distinct from ${personId}::uuid`);
  await db
    .update(serviceUsers)
    .set({ ...record, recordRead })
    .where(and(isTheirs, lt(serviceUsers.recordRead, recordRead)));
  const [known] = await db
    .update(serviceUsers)
    .set({ connectedAt: harborNow, updatedAt: harborNow })
    .where(isTheirs)
    .returning();
  return known;
}

/** Keeps the stored status of a user in step with the service, unless a later read was there first. */
export async function keepUserStatus(db: Db, id: string, status: string, recordRead: number): Promise<void> {
  await db
    .update(serviceUsers)
    .set({ status, recordRead, updatedAt: harborNow })
    .where(and(eq(serviceUsers.id, id), lt(serviceUsers.recordRead, recordRead)));
}

/**
 * Keeps the account of a user: the one that is known, as long as it is open, or the first open one. Nothing changes when
 * none is open, or a later read was there first.
 * @param openAccountIds in the service's order
 */
export async function keepUserAccount(
  db: Db,
  id: string,
  openAccountIds: string[],
  accountRead: number,
): Promise<void> {
  const [first] = openAccountIds;
  if (first === undefined) return;
  const isStillOpen = inArray(serviceUsers.accountId, openAccountIds);
  await db
    .update(serviceUsers)
    .set({
      accountId: sql`case when ${isStillOpen} then ${serviceUsers.accountId} else ${first} end`,
      accountRead,
      updatedAt: harborNow,
    })
    .where(and(eq(serviceUsers.id, id), lt(serviceUsers.accountRead, accountRead)));
}

/** The user of the service that a person is, once they authorized Harbor. */
export async function findServiceUserOfPerson(db: Db, personId: string): Promise<ServiceUserRow | undefined> {
  const [row] = await db.select().from(serviceUsers).where(eq(serviceUsers.personId, personId));
  return row;
}

/** A user of the service by its id there. */
export async function findServiceUser(db: Db, id: string): Promise<ServiceUserRow | undefined> {
  const [row] = await db.select().from(serviceUsers).where(eq(serviceUsers.id, id));
  return row;
}

/** The sellers who can be paid: connected, approved and with an account known to Harbor, by name. */
export async function listPayableSellers(db: Db): Promise<ServiceUserRow[]> {
  return db
    .select()
    .from(serviceUsers)
    .where(
      and(isNotNull(serviceUsers.personId), isNotNull(serviceUsers.accountId), eq(serviceUsers.status, "approved")),
    )
    .orderBy(serviceUsers.firstName, serviceUsers.lastName, serviceUsers.id);
}
