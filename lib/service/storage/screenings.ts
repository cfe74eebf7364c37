import { asc, eq, lte, sql } from "drizzle-orm";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { clients, screenings, userIntents } from "./schema.ts";

/** A decision that is due about an intent, with the identity it is to be made about, still encrypted. */
export type DueScreening = { userIntentId: string; identityEncrypted: string };

/** Asks for a decision about an intent, `delayMs` from now by its client's clock. */
export async function insertScreening(
  tx: Db,
  { userIntentId, clientId, delayMs }: { userIntentId: string; clientId: string; delayMs: number },
): Promise<void> {
  const dueAt = sql`${clientTime(clientId)} + make_interval(secs => ${delayMs / 1000}::float8)`;
  await tx.insert(screenings).values({ userIntentId, clientId, dueAt });
}

/** Screenings that are due, the longest waiting first. Two processes may see the same one: whoever removes it decides. */
export function listDueScreenings(db: Db, limit: number): Promise<DueScreening[]> {
  return db
    .select({ userIntentId: screenings.userIntentId, identityEncrypted: userIntents.identityEncrypted })
    .from(screenings)
    .innerJoin(userIntents, eq(userIntents.id, screenings.userIntentId))
    .innerJoin(clients, eq(clients.id, screenings.clientId))
    .where(lte(screenings.dueAt, sql`now() + ${clients.clockOffset}`))
    .orderBy(asc(screenings.dueAt))
    .limit(limit);
}

/** Milliseconds until the next screening is due, not below 0; undefined when none waits. */
export async function findNextScreeningMs(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({
      waitMs: sql<
        number | null
      >`(extract(epoch from min(${screenings.dueAt} - ${clients.clockOffset}) - now()) * 1000)::float8`,
    })
    .from(screenings)
    .innerJoin(clients, eq(clients.id, screenings.clientId));
  return row?.waitMs == null ? undefined : Math.max(0, row.waitMs);
}

/** Takes a screening away, in the transaction of the decision; false when somebody else has done so. */
export async function deleteScreening(tx: Db, userIntentId: string): Promise<boolean> {
  const deleted = await tx
    .delete(screenings)
    .where(eq(screenings.userIntentId, userIntentId))
    .returning({ userIntentId: screenings.userIntentId });
  return deleted.length === 1;
}

/** Puts a screening off, because it could not be done now. */
export async function postponeScreening(db: Db, userIntentId: string, delaySeconds: number): Promise<void> {
  await db
    .update(screenings)
    .set({ dueAt: sql`${clientTimeOfScreening} + make_interval(secs => ${delaySeconds})` })
    .where(eq(screenings.userIntentId, userIntentId));
}

const clientTimeOfScreening = sql`now() + (select clock_offset from clients where id = ${screenings.clientId})`;
