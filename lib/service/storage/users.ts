import { and, asc, eq, sql } from "drizzle-orm";
import type { RejectionReason } from "../../contract/people.ts";
import type { UserStatus } from "../../contract/statuses.ts";
import { clientTime, clientTimeOfInsert } from "./clients.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./pagination.ts";
import { users } from "./schema.ts";

export type User = typeof users.$inferSelect;

/** Undefined when the client already has a user with this phone. */
export async function insertUser(
  tx: Db,
  user: Omit<typeof users.$inferInsert, "createdAt" | "updatedAt">,
): Promise<User | undefined> {
  const now = clientTimeOfInsert(user.clientId);
  const [row] = await tx
    .insert(users)
    .values({ ...user, createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: [users.clientId, users.phone] })
    .returning();
  return row;
}

/** Undefined when it is missing or another client's. */
export async function findUser(db: Db, { id, clientId }: { id: string; clientId: string }): Promise<User | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.clientId, clientId)));
  return row;
}

export async function findUserByPhone(
  db: Db,
  { clientId, phone }: { clientId: string; phone: string },
): Promise<User | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.clientId, clientId), eq(users.phone, phone)));
  return row;
}

export async function findBusinessUser(db: Db, clientId: string): Promise<User | undefined> {
  const isBusiness = and(eq(users.clientId, clientId), eq(users.userType, "business"));
  const [row] = await db.select().from(users).where(isBusiness).orderBy(asc(users.id)).limit(1);
  return row;
}

/** Newest first. */
export function listUsers(db: Db, { clientId, limit }: { clientId: string; limit: number }): Promise<User[]> {
  const { isOnPage, newestFirst } = newestOfOwner([[users.clientId, clientId]], users.id);
  return db.select().from(users).where(isOnPage).orderBy(newestFirst).limit(limit);
}

export async function lockUser(tx: Db, id: string): Promise<User | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for("no key update");
  return row;
}

/** Lock the user first. */
export function updateUserMetadata(tx: Db, user: User, metadata: User["metadata"]): Promise<User> {
  return updateUser(tx, user, { metadata });
}

/** Lock the user first. The phone must not belong to another user of the client. */
export function updateUserContact(
  tx: Db,
  user: User,
  contact: Partial<Pick<User, "firstName" | "lastName" | "email" | "phone">>,
): Promise<User> {
  return updateUser(tx, user, contact);
}

/** Lock the user first. Only a rejection has reasons. */
export function updateUserStatus(
  tx: Db,
  user: User,
  change: { status: UserStatus; rejectionReasons: RejectionReason[] },
): Promise<User> {
  return updateUser(tx, user, change);
}

async function updateUser(tx: Db, { id, clientId }: User, change: Partial<User>): Promise<User> {
  const [row] = await tx
    .update(users)
    .set({ ...change, updatedAt: sql`greatest(${users.updatedAt}, ${clientTime(clientId)})` })
    .where(eq(users.id, id))
    .returning();
  if (!row) throw new Error("The user was locked just before.");
  return row;
}
