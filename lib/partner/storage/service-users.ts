import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
import { serviceUsers } from "./schema.ts";

/** What Harbor knows of a user of the service who authorized it. */
export type ServiceUserRow = typeof serviceUsers.$inferSelect;

type KnownUser = Pick<ServiceUserRow, "id" | "personId" | "userType" | "status" | "firstName" | "lastName">;

/**
 * Remembers a user who just authorized Harbor. Undefined, and nothing written, when the user belongs to another person,
 * or the person to another user.
 */
export async function connectServiceUser(db: Db, user: KnownUser): Promise<ServiceUserRow | undefined> {
  const { id, personId, ...record } = user;
  const [row] = await db
    .insert(serviceUsers)
    .values({ id, personId, ...record, connectedAt: harborNow, updatedAt: harborNow })
    .onConflictDoNothing()
    .returning();
  if (row) return row;
  const [known] = await db
    .update(serviceUsers)
    .set({ ...record, connectedAt: harborNow, updatedAt: harborNow })
    .where(and(eq(serviceUsers.id, id), sql`${serviceUsers.personId} is not distinct from ${personId}::uuid`))
    .returning();
  return known;
}

/** Keeps the stored record of a user in step with the service; a user never connected is left alone. */
export async function updateServiceUser(
  db: Db,
  { id, ...record }: Pick<ServiceUserRow, "id"> & Partial<Pick<ServiceUserRow, "status" | "accountId">>,
): Promise<void> {
  await db
    .update(serviceUsers)
    .set({ ...record, updatedAt: harborNow })
    .where(eq(serviceUsers.id, id));
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
