import { and, eq, sql } from "drizzle-orm";
import type { RejectionReason } from "../../contract/people.ts";
import type { UserStatus } from "../../contract/statuses.ts";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./newest-of-owner.ts";
import { users } from "./schema.ts";

/** A user as stored. */
export type User = typeof users.$inferSelect;

/** Creates a user; undefined when its phone belongs to a user of this client already, which is then left as it is. */
export async function insertUser(
  tx: Db,
  user: Omit<typeof users.$inferInsert, "createdAt" | "updatedAt">,
): Promise<User | undefined> {
  const now = clientTime(user.clientId);
  const [row] = await tx
    .insert(users)
    .values({ ...user, createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: [users.clientId, users.phone] })
    .returning();
  return row;
}

/** One user of this client, or undefined when it is missing or another's. */
export async function findUser(db: Db, { id, clientId }: { id: string; clientId: string }): Promise<User | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.clientId, clientId)));
  return row;
}

/** The one user of this client to whom the phone belongs. */
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

/** A client's newest users, newest first. */
export function listUsers(db: Db, { clientId, limit }: { clientId: string; limit: number }): Promise<User[]> {
  const { isAsked, newestFirst } = newestOfOwner([[users.clientId, clientId]], users.id);
  return db.select().from(users).where(isAsked).orderBy(newestFirst).limit(limit);
}

/** One user, locked until the transaction ends: whoever else decides about it waits. */
export async function lockUser(tx: Db, id: string): Promise<User | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for("no key update");
  return row;
}

/** Gives a locked user other metadata. */
export function updateUserMetadata(tx: Db, user: User, metadata: User["metadata"]): Promise<User> {
  return updateUser(tx, user, { metadata });
}

/** Gives a locked user its new status, and the reasons for it, which are none unless it is a rejection. */
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
