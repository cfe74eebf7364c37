import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { isUnpayableUser } from "../connections/status-words.ts";
import type { Db } from "./database.ts";
import { harborNow } from "./database.ts";
import type { Person } from "./people.ts";
import { people, serviceUsers } from "./schema.ts";

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

/** What an answer of the service tells of a user; what it does not tell is left out. Accounts are in the service's order. */
type UserSnapshot = { status?: string; usableAccountIds?: string[] };

/**
 * Keeps what a read of the service told, unless a later read was there first: the status, and of the accounts the one that
 * is known, as long as it is usable, or the first usable one. The commit waits for the disk only if it changes one of them.
 * That a read was there and said nothing new may be lost with the database: the next read says it again. So this is a
 * transaction by itself, and no part of one that writes anything else.
 */
export async function storeUserSnapshot(
  db: Db,
  id: string,
  { status, usableAccountIds = [] }: UserSnapshot,
  read: number,
): Promise<void> {
  if (status === undefined && usableAccountIds.length === 0) return;
  await db.execute(sql`
    with told as (
      select ${status ?? null}::text as status, ${sql.param(usableAccountIds)}::text[] as usable, ${read}::bigint as read
    ), known as (
      select u.id, u.status, u.account_id, told.read,
        told.status is not null as tells_status, told.status as told_status,
        cardinality(told.usable) > 0 as tells_account, told.usable
      from service_users u cross join told where u.id = ${id}
    )
    update service_users u set
      status = case when k.tells_status and u.record_read < k.read then k.told_status else u.status end,
      record_read = case when k.tells_status then greatest(u.record_read, k.read) else u.record_read end,
      account_id = case when k.tells_account and u.account_read < k.read and (u.account_id = any (k.usable)) is not true
        then k.usable[1] else u.account_id end,
      account_read = case when k.tells_account then greatest(u.account_read, k.read) else u.account_read end,
      updated_at = ${harborNow}
    from known k
    where u.id = k.id and (k.tells_status and u.record_read < k.read or k.tells_account and u.account_read < k.read)
    returning case when (u.status, u.account_id) is not distinct from (k.status, k.account_id)
      then set_config('synchronous_commit', 'off', true) end`);
}

/** Makes the transaction the only one that works for this user until it ends; reads wait for nothing. */
export async function lockServiceUser(tx: Db, id: string): Promise<void> {
  await tx.select({ id: serviceUsers.id }).from(serviceUsers).where(eq(serviceUsers.id, id)).for("no key update");
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
export async function listPayableSellers(db: Db): Promise<(ServiceUserRow & Pick<Person, "email" | "phone">)[]> {
  const sellers = await db
    .select({ ...getTableColumns(serviceUsers), email: people.email, phone: people.phone })
    .from(serviceUsers)
    .innerJoin(people, eq(people.id, serviceUsers.personId))
    .where(isConnectedWithAccount)
    .orderBy(serviceUsers.firstName, serviceUsers.lastName, serviceUsers.id);
  return sellers.filter(({ status }) => !isUnpayableUser(status));
}

/** A seller with what tells namesakes apart. */
export type NamedSeller = Pick<ServiceUserRow, "id" | "firstName" | "lastName"> & Pick<Person, "email" | "phone">;

/** The sellers with one of these full names, in any case of letters. */
export async function listSellersNamed(db: Db, names: string[]): Promise<NamedSeller[]> {
  const { id, firstName, lastName } = serviceUsers;
  const fullName = sql`lower(${firstName} || ' ' || ${lastName})`;
  return db
    .select({ id, firstName, lastName, email: people.email, phone: people.phone })
    .from(serviceUsers)
    .innerJoin(people, eq(people.id, serviceUsers.personId))
    .where(inArray(fullName, names.length > 0 ? names.map((name) => sql`lower(${name}::text)`) : [""]));
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
export async function claimSellersToRefresh(
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
