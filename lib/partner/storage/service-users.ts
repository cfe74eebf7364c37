import { and, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { isUnpayableUser } from "../statuses.ts";
import { type Db, harborNow } from "./database.ts";
import type { Person } from "./people.ts";
import { people, routines, serviceUsers, tokenPairs } from "./schema.ts";

export type ServiceUserRow = typeof serviceUsers.$inferSelect;

type KnownUser = Pick<ServiceUserRow, "id" | "personId" | "userType" | "status" | "firstName" | "lastName">;

/** Numbers a read before its request, so that a late answer to an earlier read changes nothing. */
export async function beginRead(db: Db): Promise<number> {
  const { rows } = await db.execute<{ read: string }>(sql`select nextval('record_reads') as read`);
  const [row] = rows;
  if (!row) throw new Error("A sequence always has a next value.");
  return Number(row.read);
}

/**
 * Stores a user who just authorized Harbor. Undefined if the user is another person's, or the person has another user.
 * @param recordRead the number of the read that returned the record
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
  // A user that the service had lost, and that its person was unlinked from, can come back.
  const isFree = sql`${serviceUsers.personId} is null
    and not exists (select from service_users other where other.person_id = ${personId}::uuid)`;
  const isTheirs = and(
    eq(serviceUsers.id, id),
    or(sql`${serviceUsers.personId} is not distinct from ${personId}::uuid`, isFree),
  );
  await db
    .update(serviceUsers)
    .set({ ...record, recordRead })
    .where(and(isTheirs, lt(serviceUsers.recordRead, recordRead)));
  const [known] = await db
    .update(serviceUsers)
    .set({ personId, connectedAt: harborNow, disconnectedAt: null, updatedAt: harborNow })
    .where(isTheirs)
    .returning();
  if (known) await db.execute(assignFoundRoutines(sql`(select * from ${serviceUsers} where id = ${id})`));
  return known;
}

/** Unlinks a user from its person, who can then connect another one. The name stays, for earlier payments. */
export async function unlinkPerson(db: Db, id: string): Promise<void> {
  await db.update(serviceUsers).set({ personId: null, updatedAt: harborNow }).where(eq(serviceUsers.id, id));
}

/** Records whether someone at Harbor ended this user's connection. */
export async function markDisconnected(db: Db, id: string, isDisconnected = true): Promise<void> {
  const disconnectedAt = isDisconnected ? harborNow : null;
  await db.update(serviceUsers).set({ disconnectedAt, updatedAt: harborNow }).where(eq(serviceUsers.id, id));
}

type UserSnapshot = { status?: string; usableAccountIds?: string[] };

/**
 * Stores a user's status and account, unless a later read did. Keeps the known account while usable, else takes the
 * first usable one. Commits without waiting for the disk if nothing changed, so it must be its own transaction.
 *
 * Each read assigns found payments, with news or not: one stored at the same time as the account doesn't see it.
 */
export async function storeUserSnapshot(
  db: Db,
  id: string,
  { status, usableAccountIds = [] }: UserSnapshot,
  read: number,
): Promise<void> {
  if (status === undefined && usableAccountIds.length === 0) return;
  await db.execute(sql`
    with snapshot as (
      select ${status ?? null}::text as status, ${sql.param(usableAccountIds)}::text[] as usable, ${read}::bigint as read
    ), known as (
      select u.id, u.status, u.account_id, snapshot.read,
        snapshot.status is not null as has_status, snapshot.status as new_status,
        cardinality(snapshot.usable) > 0 as has_account, snapshot.usable
      from service_users u cross join snapshot where u.id = ${id}
    ), stored as (
      update service_users u set
        status = case when k.has_status and u.record_read < k.read then k.new_status else u.status end,
        record_read = case when k.has_status then greatest(u.record_read, k.read) else u.record_read end,
        account_id = case when k.has_account and u.account_read < k.read and (u.account_id = any (k.usable)) is not true
          then k.usable[1] else u.account_id end,
        account_read = case when k.has_account then greatest(u.account_read, k.read) else u.account_read end,
        updated_at = ${harborNow}
      from known k
      where u.id = k.id and (k.has_status and u.record_read < k.read or k.has_account and u.account_read < k.read)
      returning u.id, u.person_id, u.account_id,
        (u.status, u.account_id) is not distinct from (k.status, k.account_id) as is_unchanged
    ), assigned as (${assignFoundRoutines(sql`stored`)} returning r.id)
    select set_config('synchronous_commit', 'off', true) from stored
    where is_unchanged and not exists (select from assigned)`);
}

/** Gives this seller the adopted payments to their account that were to an unknown one. */
function assignFoundRoutines(seller: SQL): SQL {
  return sql`
    update ${routines} r set seller_user_id = seller.id from ${seller} seller
    where r.created_by is null and r.seller_user_id = '' and r.destination_id = seller.account_id
      and seller.person_id is not null`;
}

/** Serializes transactions for this user. Reads don't wait. */
export async function lockServiceUser(tx: Db, id: string): Promise<void> {
  await tx.select({ id: serviceUsers.id }).from(serviceUsers).where(eq(serviceUsers.id, id)).for("no key update");
}

export async function findServiceUserOfPerson(db: Db, personId: string): Promise<ServiceUserRow | undefined> {
  const [row] = await db.select().from(serviceUsers).where(eq(serviceUsers.personId, personId));
  return row;
}

export async function findServiceUser(db: Db, id: string): Promise<ServiceUserRow | undefined> {
  const [row] = await db.select().from(serviceUsers).where(eq(serviceUsers.id, id));
  return row;
}

const isSeller = isNotNull(serviceUsers.personId);

export async function listPayableSellers(db: Db): Promise<(ServiceUserRow & Pick<Person, "email" | "phone">)[]> {
  const sellers = await db
    .select({ ...getTableColumns(serviceUsers), email: people.email, phone: people.phone })
    .from(serviceUsers)
    .innerJoin(people, eq(people.id, serviceUsers.personId))
    .where(and(isSeller, isNotNull(serviceUsers.accountId)))
    .orderBy(serviceUsers.firstName, serviceUsers.lastName, serviceUsers.id);
  return sellers.filter(({ status }) => !isUnpayableUser(status));
}

export type NamedSeller = Pick<ServiceUserRow, "id" | "firstName" | "lastName"> & Pick<Person, "email" | "phone">;

export async function listSellersNamed(db: Db, names: string[]): Promise<NamedSeller[]> {
  const { id, firstName, lastName } = serviceUsers;
  const fullName = sql`lower(${firstName} || ' ' || ${lastName})`;
  return db
    .select({ id, firstName, lastName, email: people.email, phone: people.phone })
    .from(serviceUsers)
    .innerJoin(people, eq(people.id, serviceUsers.personId))
    .where(inArray(fullName, names.length > 0 ? names.map((name) => sql`lower(${name}::text)`) : [""]));
}

/** Connected sellers without a known account; those claimed the longest ago first, then the newest. */
export async function listSellersWithoutAccount(db: Db): Promise<ServiceUserRow[]> {
  return db
    .select(getTableColumns(serviceUsers))
    .from(serviceUsers)
    .innerJoin(tokenPairs, eq(tokenPairs.serviceUserId, serviceUsers.id))
    .where(and(isSeller, isNull(serviceUsers.accountId), gt(tokenPairs.refreshTokenExpiresAt, harborNow)))
    .orderBy(sql`${serviceUsers.askedRealAt} nulls first`, desc(serviceUsers.connectedAt));
}

/** Claims up to `limit` sellers, with an account or not, that weren't claimed in the last `seconds`, the longest ago first. */
export async function claimSellersToRefresh(
  db: Db,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<string[]> {
  const isDue = sql`coalesce(${serviceUsers.askedRealAt}, '-infinity') <= now() - make_interval(secs => ${seconds})`;
  const due = db
    .select({ id: serviceUsers.id })
    .from(serviceUsers)
    .where(and(isSeller, isDue))
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
