import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { operatorChanges, userIntents, users } from "./schema.ts";

/** A change by an operator, as recorded. */
export type OperatorChange = typeof operatorChanges.$inferSelect;

/** Records a change, in its transaction. */
export async function insertOperatorChange(tx: Db, change: typeof operatorChanges.$inferInsert): Promise<void> {
  await tx.insert(operatorChanges).values(change);
}

/** Whether a change is recorded; locks its record. */
export async function isOperatorChangeRecorded(tx: Db, id: string): Promise<boolean> {
  const found = await tx.select().from(operatorChanges).where(eq(operatorChanges.id, id)).for("key share");
  return found.length > 0;
}

/** The change by which a client was given the money with this reference. */
export async function findOperatorChange(
  db: Db,
  { clientId, reference }: { clientId: string; reference: string },
): Promise<OperatorChange | undefined> {
  const isAsked = and(eq(operatorChanges.clientId, clientId), eq(operatorChanges.reference, reference));
  const [row] = await db.select().from(operatorChanges).where(isAsked);
  return row;
}

/** The newest changes of a client, newest first. */
export function listOperatorChanges(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<OperatorChange[]> {
  const { id } = operatorChanges;
  return db.select().from(operatorChanges).where(eq(operatorChanges.clientId, clientId)).orderBy(desc(id)).limit(limit);
}

/** A person whose screening left the decision open: an intent, or the user it became. */
export type UndecidedPerson = { userIntentId: string; userId: string | null; createdAt: Date };

/** Of a client's newest intents, those whose person is pending and in no screening, newest first. */
export async function listUndecided(
  db: Db,
  { clientId, among, limit }: { clientId: string; among: number; limit: number },
): Promise<UndecidedPerson[]> {
  const newest = db
    .select()
    .from(userIntents)
    .where(eq(userIntents.clientId, clientId))
    .orderBy(desc(userIntents.clientId), desc(userIntents.id))
    .limit(among)
    .as("newest");
  const isScreened: SQL = sql`exists (
    select from screenings s join user_intents i on i.id = s.user_intent_id
    where i.id = ${newest.id} or i.user_id = ${newest.userId})`;
  return db
    .select({ userIntentId: newest.id, userId: newest.userId, createdAt: newest.createdAt })
    .from(newest)
    .leftJoin(users, eq(users.id, newest.userId))
    .where(sql`coalesce(${users.status}, ${newest.status}) = 'pending' and not ${isScreened}`)
    .orderBy(desc(newest.id))
    .limit(limit);
}
