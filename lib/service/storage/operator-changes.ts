import { and, desc, eq, or, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { ClientListOptions, Db } from "./database.ts";
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
export function listOperatorChanges(db: Db, { clientId, limit }: ClientListOptions): Promise<OperatorChange[]> {
  const { isOnPage, newestFirst } = keysetPage([[operatorChanges.clientId, clientId]], operatorChanges.id);
  return db.select().from(operatorChanges).where(isOnPage).orderBy(newestFirst).limit(limit);
}

/** An intent, or the user it became. `isInScreening`: may still be decided automatically. */
export type UndecidedPerson = { userIntentId: string; userId: string | null; isInScreening: boolean; createdAt: Date };

/**
 * A client's people who are pending or have sent what their status asks for. Those that no screening will decide come
 * first; within each group, oldest first: a decided person leaves the list, so it reaches everyone in turn.
 */
export async function listUndecided(db: Db, { clientId, limit }: ClientListOptions): Promise<UndecidedPerson[]> {
  const { id: userIntentId, userId, createdAt } = userIntents;
  // Statuses as literals, so that the planner recognizes the partial indexes.
  const pendingIntents = db
    .select({ userIntentId, userId, createdAt })
    .from(userIntents)
    .where(and(eq(userIntents.clientId, clientId), sql`${userIntents.status} = 'pending'`));
  const hasSubmitted = sql`exists (select from identity_submissions s where s.user_id = ${users.id} and s.kind = ${users.status})`;
  const undecidedUsers = db
    .selectDistinctOn([users.id], { userIntentId, userId, createdAt })
    .from(users)
    .innerJoin(userIntents, eq(userId, users.id))
    .where(
      and(
        eq(users.clientId, clientId),
        sql`${users.status} in ('pending', 'retry', 'document')`,
        or(eq(users.status, "pending"), hasSubmitted),
      ),
    )
    .orderBy(users.id, desc(userIntentId));
  const people = unionAll(pendingIntents, undecidedUsers).as("people");
  // The table is named by hand: in a select of one table, the query builder writes columns without it.
  const isInScreening = sql<boolean>`(
    exists (select from screenings s where s.user_intent_id = people.id)
    or exists (select from user_intents i join screenings s on s.user_intent_id = i.id where i.user_id = people.user_id))`;
  return db
    .select({ userIntentId: people.userIntentId, userId: people.userId, isInScreening, createdAt: people.createdAt })
    .from(people)
    .orderBy(isInScreening, people.userIntentId)
    .limit(limit);
}
