import { and, asc, eq, or, type SQL, sql } from "drizzle-orm";
import type { UserIntentStatus, UserStatus } from "../../contract/statuses.ts";
import type { RejectionReason } from "../../contract/user-intent.ts";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./newest-of-owner.ts";
import { userIntents, users } from "./schema.ts";

/** A user intent as stored. */
export type UserIntent = typeof userIntents.$inferSelect;

/** An intent with the status of the user it became, null before. */
export type UserIntentWithUser = { intent: UserIntent; userStatus: UserStatus | null };

/** An intent to store. */
export type NewUserIntent = Omit<UserIntent, "status" | "rejectionReasons" | "userId" | "createdAt" | "updatedAt">;

/**
 * Stores a new intent, pending, and returns its row; undefined when an intent has this id. Waits for a transaction that is
 * inserting it.
 */
export async function insertUserIntent(tx: Db, intent: NewUserIntent): Promise<UserIntent | undefined> {
  const now = clientTime(intent.clientId);
  const [row] = await tx
    .insert(userIntents)
    .values({ ...intent, status: "pending", createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: userIntents.id })
    .returning();
  return row;
}

/** The encryption context of an intent's ssn, date of birth, address and ip address. */
export function identityContext(userIntentId: string): string {
  return `user_intents.identity:${userIntentId}`;
}

/** One intent of this client, or undefined when it is missing or another's. */
export async function findUserIntent(
  db: Db,
  { id, clientId }: { id: string; clientId: string },
): Promise<UserIntentWithUser | undefined> {
  const [row] = await selectWithUser(db).where(and(eq(userIntents.id, id), eq(userIntents.clientId, clientId)));
  return row;
}

/** One intent of any client: for ids that we kept ourselves. */
export async function findUserIntentById(db: Db, id: string): Promise<UserIntent | undefined> {
  const [row] = await db.select().from(userIntents).where(eq(userIntents.id, id));
  return row;
}

/** A client's newest intents, newest first. */
export function listUserIntents(db: Db, { clientId, limit }: { clientId: string; limit: number }) {
  const { isAsked, newestFirst } = newestOfOwner([[userIntents.clientId, clientId]], userIntents.id);
  return selectWithUser(db).where(isAsked).orderBy(newestFirst).limit(limit);
}

/** One intent, locked until the transaction ends: whoever else decides or converts it waits. */
export async function lockUserIntent(tx: Db, id: string): Promise<UserIntent | undefined> {
  const [row] = await tx.select().from(userIntents).where(eq(userIntents.id, id)).for("update");
  return row;
}

/** All intents that a user came from, oldest first, locked likewise. */
export function lockUserIntentsOfUser(tx: Db, userId: string): Promise<UserIntent[]> {
  return lockInOrder(tx, eq(userIntents.userId, userId));
}

/** One intent and, once it is converted, the others of its user, oldest first, locked likewise. */
export function lockUserIntentWithSiblings(tx: Db, id: string): Promise<UserIntent[]> {
  const own = tx.select({ userId: userIntents.userId }).from(userIntents).where(eq(userIntents.id, id));
  return lockInOrder(tx, or(eq(userIntents.id, id), eq(userIntents.userId, own)));
}

function lockInOrder(tx: Db, isWanted: SQL | undefined): Promise<UserIntent[]> {
  return tx.select().from(userIntents).where(isWanted).orderBy(asc(userIntents.id)).for("update");
}

/** The metadata of an intent and of all others of its user to be, oldest first. */
export async function listMetadataOfUser(
  tx: Db,
  { userIntentId, userId }: { userIntentId: string; userId: string },
): Promise<UserIntent["metadata"][]> {
  const rows = await tx
    .select({ metadata: userIntents.metadata })
    .from(userIntents)
    .where(or(eq(userIntents.id, userIntentId), eq(userIntents.userId, userId)))
    .orderBy(asc(userIntents.id));
  return rows.map(({ metadata }) => metadata);
}

/** Gives a locked intent its new status, with the reasons if it is a rejection. */
export async function updateUserIntentStatus(
  tx: Db,
  { id, clientId }: UserIntent,
  change: { status: UserIntentStatus; rejectionReasons?: RejectionReason[]; userId?: string },
): Promise<UserIntent> {
  const [row] = await tx
    .update(userIntents)
    .set({ ...change, updatedAt: sql`greatest(${userIntents.updatedAt}, ${clientTime(clientId)})` })
    .where(eq(userIntents.id, id))
    .returning();
  if (!row) throw new Error("The intent was locked just before.");
  return row;
}

function selectWithUser(db: Db) {
  return db
    .select({ intent: userIntents, userStatus: users.status })
    .from(userIntents)
    .leftJoin(users, eq(users.id, userIntents.userId));
}
