import { and, asc, eq, or, type SQL, sql } from "drizzle-orm";
import type { UserStatus } from "../../contract/statuses.ts";
import { clientTime, clientTimeOfInsert } from "./clients.ts";
import type { ClientListOptions, Db, PhoneOfClient, RowOfClient } from "./database.ts";
import { keysetPage } from "./pagination.ts";
import { userIntents, users } from "./schema.ts";

export type UserIntent = typeof userIntents.$inferSelect;

/** `userStatus` is null before conversion. */
export type UserIntentWithUser = { intent: UserIntent; userStatus: UserStatus | null };

export type NewUserIntent = Omit<
  UserIntent,
  "status" | "rejectionReasons" | "userId" | "wasDecided" | "createdAt" | "updatedAt"
>;

/** Stores a pending intent; undefined if the id exists. Waits for a transaction that is inserting it. */
export async function insertUserIntent(tx: Db, intent: NewUserIntent): Promise<UserIntent | undefined> {
  const now = clientTimeOfInsert(intent.clientId);
  const [row] = await tx
    .insert(userIntents)
    .values({ ...intent, status: "pending", createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: userIntents.id })
    .returning();
  return row;
}

export function identityContext(userIntentId: string): string {
  return `user_intents.identity:${userIntentId}`;
}

/** Undefined if it's missing or another client's. */
export async function findUserIntent(db: Db, { id, clientId }: RowOfClient): Promise<UserIntentWithUser | undefined> {
  const [row] = await selectWithUser(db).where(and(eq(userIntents.id, id), eq(userIntents.clientId, clientId)));
  return row;
}

/** An intent of any client, for ids from our own rows. */
export async function findUserIntentById(db: Db, id: string): Promise<UserIntent | undefined> {
  const [row] = await db.select().from(userIntents).where(eq(userIntents.id, id));
  return row;
}

/** Newest first. */
export function listUserIntents(db: Db, { clientId, limit }: ClientListOptions) {
  const { isOnPage, newestFirst } = keysetPage([[userIntents.clientId, clientId]], userIntents.id);
  return selectWithUser(db).where(isOnPage).orderBy(newestFirst).limit(limit);
}

export async function lockUserIntent(tx: Db, id: string): Promise<UserIntent | undefined> {
  const [row] = await tx.select().from(userIntents).where(eq(userIntents.id, id)).for("update");
  return row;
}

/** Oldest first. */
export function lockUserIntentsOfUser(tx: Db, userId: string): Promise<UserIntent[]> {
  return lockInOrder(tx, eq(userIntents.userId, userId));
}

/** An intent and its user's other intents, oldest first, locked. */
export async function lockUserIntentWithSiblings(tx: Db, id: string): Promise<UserIntent[]> {
  const ownUserId = tx.select({ userId: userIntents.userId }).from(userIntents).where(eq(userIntents.id, id));
  const locked = await lockInOrder(tx, or(eq(userIntents.id, id), eq(userIntents.userId, ownUserId)));
  const [only, ...moreLocked] = locked;
  // It may have joined its user while this waited; then the statement's snapshot didn't know its siblings.
  return only?.userId && moreLocked.length === 0 ? lockUserIntentsOfUser(tx, only.userId) : locked;
}

function lockInOrder(tx: Db, isWanted: SQL | undefined): Promise<UserIntent[]> {
  return tx.select().from(userIntents).where(isWanted).orderBy(asc(userIntents.id)).for("update");
}

/** The metadata of an intent and of all intents of the user it joins, oldest first. */
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

/** Lock the intent first. Only a rejection has reasons. */
export async function updateUserIntentStatus(
  tx: Db,
  { id, clientId }: UserIntent,
  change: Pick<UserIntent, "status"> & Partial<Pick<UserIntent, "rejectionReasons" | "userId" | "wasDecided">>,
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

export type User = typeof users.$inferSelect;

/** Undefined if the client already has a user with this phone. */
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

/** Undefined if it's missing or another client's. */
export async function findUser(db: Db, { id, clientId }: RowOfClient): Promise<User | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.clientId, clientId)));
  return row;
}

export async function findUserByPhone(db: Db, { clientId, phone }: PhoneOfClient): Promise<User | undefined> {
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
export function listUsers(db: Db, { clientId, limit }: ClientListOptions): Promise<User[]> {
  const { isOnPage, newestFirst } = keysetPage([[users.clientId, clientId]], users.id);
  return db.select().from(users).where(isOnPage).orderBy(newestFirst).limit(limit);
}

export async function lockUser(tx: Db, id: string): Promise<User | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for("no key update");
  return row;
}

/** Lock the user first. Keeps `updatedAt`, which the retention of photo IDs takes for the newest decision. */
export function updateUserMetadata(tx: Db, user: User, metadata: User["metadata"]): Promise<User> {
  return updateUser(tx, user, { metadata, updatedAt: user.updatedAt });
}

/** Lock the user first. A new phone must not belong to another user of the client. Only a rejection has reasons. */
export async function updateUser(tx: Db, { id, clientId }: User, change: Partial<User>): Promise<User> {
  const [row] = await tx
    .update(users)
    .set({ updatedAt: sql`greatest(${users.updatedAt}, ${clientTime(clientId)})`, ...change })
    .where(eq(users.id, id))
    .returning();
  if (!row) throw new Error("The user was locked just before.");
  return row;
}
