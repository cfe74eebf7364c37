import { and, desc, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { isUnpayableUser } from "../service-client/refusing-words.ts";
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
 * Keeps the account of a user: the one that is known, as long as it is usable, or the first usable one. Nothing changes when
 * none is, or a later read was there first.
 * @param usableAccountIds in the service's order
 */
export async function keepUserAccount(
  db: Db,
  id: string,
  usableAccountIds: string[],
  accountRead: number,
): Promise<void> {
  const [first] = usableAccountIds;
  if (first === undefined) return;
  const isStillUsable = inArray(serviceUsers.accountId, usableAccountIds);
  await db
    .update(serviceUsers)
    .set({
      accountId: sql`case when ${isStillUsable} then ${serviceUsers.accountId} else ${first} end`,
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

/** The connected sellers with an account known to Harbor. */
const isConnectedWithAccount = and(isNotNull(serviceUsers.personId), isNotNull(serviceUsers.accountId));

/** The sellers who can be paid, by name: connected, with an account known to Harbor, and no status that says otherwise. */
export async function listPayableSellers(db: Db): Promise<ServiceUserRow[]> {
  const sellers = await db
    .select()
    .from(serviceUsers)
    .where(isConnectedWithAccount)
    .orderBy(serviceUsers.firstName, serviceUsers.lastName, serviceUsers.id);
  return sellers.filter(({ status }) => !isUnpayableUser(status));
}

/** The connected sellers whose account Harbor does not know, those who were connected last first. */
export async function listSellersWithoutAccount(db: Db): Promise<ServiceUserRow[]> {
  return db
    .select()
    .from(serviceUsers)
    .where(and(isNotNull(serviceUsers.personId), isNull(serviceUsers.accountId)))
    .orderBy(desc(serviceUsers.connectedAt));
}

/** Takes up to `limit` connected sellers who were not taken in the last `seconds`, those not asked about for longest first. */
export async function claimSellersToAsk(
  db: Db,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<string[]> {
  const isDue = sql`coalesce(${serviceUsers.askedRealAt}, '-infinity') <= now() - make_interval(secs => ${seconds})`;
  const due = db
    .select({ id: serviceUsers.id })
    .from(serviceUsers)
    .where(and(isConnectedWithAccount, isDue))
    .orderBy(sql`${serviceUsers.askedRealAt} nulls first`)
    .limit(limit)
    .for("update", { skipLocked: true });
  const claimed = await db
    .update(serviceUsers)
    .set({ askedRealAt: sql`now()` })
    .where(inArray(serviceUsers.id, due))
    .returning({ id: serviceUsers.id });
  return claimed.map(({ id }) => id);
}
