import { and, desc, eq, or, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { keysetPage } from "./pagination.ts";
import { operatorChanges, userIntents, users } from "./schema.ts";

export type OperatorChange = typeof operatorChanges.$inferSelect;

export async function insertOperatorChange(tx: Db, change: typeof operatorChanges.$inferInsert): Promise<void> {
  await tx.insert(operatorChanges).values(change);
}

/** Locks the record. */
export async function isOperatorChangeRecorded(tx: Db, id: string): Promise<boolean> {
  const found = await tx.select().from(operatorChanges).where(eq(operatorChanges.id, id)).for("key share");
  return found.length > 0;
}

/** The change with this funding reference. */
export async function findOperatorChange(
  db: Db,
  { clientId, reference }: { clientId: string; reference: string },
): Promise<OperatorChange | undefined> {
  const isOnPage = and(eq(operatorChanges.clientId, clientId), eq(operatorChanges.reference, reference));
  const [row] = await db.select().from(operatorChanges).where(isOnPage);
  return row;
}

/** Newest first. */
export function listOperatorChanges(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<OperatorChange[]> {
  const { isOnPage, newestFirst } = keysetPage([[operatorChanges.clientId, clientId]], operatorChanges.id);
  return db.select().from(operatorChanges).where(isOnPage).orderBy(newestFirst).limit(limit);
}

/** An intent, or the user it became. `isInScreening`: may still be decided automatically. */
export type UndecidedPerson = { userIntentId: string; userId: string | null; isInScreening: boolean; createdAt: Date };

/**
 * Among a client's newest intents, the people who are pending or have sent what their status asks for. Those that no
 * screening will decide come first; within each group, newest first.
 */
export async function listUndecided(
  db: Db,
  { clientId, among, limit }: { clientId: string; among: number; limit: number },
): Promise<UndecidedPerson[]> {
  const { isOnPage, newestFirst } = keysetPage([[userIntents.clientId, clientId]], userIntents.id);
  const newest = db.select().from(userIntents).where(isOnPage).orderBy(newestFirst).limit(among).as("newest");
  const isInScreening = sql<boolean>`exists (
    select from screenings s join user_intents i on i.id = s.user_intent_id
    where i.id = ${newest.id} or i.user_id = ${newest.userId})`;
  return db
    .select({ userIntentId: newest.id, userId: newest.userId, isInScreening, createdAt: newest.createdAt })
    .from(newest)
    .leftJoin(users, eq(users.id, newest.userId))
    .where(
      or(
        sql`coalesce(${users.status}, ${newest.status}) = 'pending'`,
        sql`exists (select from identity_submissions s where s.user_id = ${users.id} and s.kind = ${users.status})`,
      ),
    )
    .orderBy(isInScreening, desc(newest.id))
    .limit(limit);
}
