import { randomInt } from "node:crypto";
import { and, asc, desc, eq, isNotNull, type SQLWrapper, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./newest-of-owner.ts";
import { newestTransfersOfClient, type Page } from "./routines.ts";
import { accounts, entries, holds } from "./schema.ts";
import type { User } from "./users.ts";

/** An account's row; balance and holds in cents. */
export type Account = typeof accounts.$inferSelect;

/** A payment instrument to open. `mask` is what people see of its number. */
export type NewAccount = {
  clientId: string;
  userId: string;
  name: string;
  type: "wallet" | "operating";
  mask: string;
};

/** Opens an empty account for a user and returns its row. */
export async function insertAccount(db: Db, account: NewAccount): Promise<Account> {
  const [row] = await db
    .insert(accounts)
    .values({ ...account, id: newId(), createdAt: clientTime(account.clientId) })
    .returning();
  if (!row) throw new Error("An insert must return its row.");
  return row;
}

/** Opens the wallet that every approved personal user has; one who has an account already keeps that. Decision D12 */
export async function openWallet(tx: Db, { id: userId, clientId, userType }: User): Promise<void> {
  if (userType !== "personal" || (await listAccounts(tx, userId)).length > 0) return;
  await insertAccount(tx, { clientId, userId, name: "Wallet", type: "wallet", mask: newMask() });
}

/** The last four digits of a new account's number, which are all that anybody sees of it. */
export function newMask(): string {
  return String(randomInt(10_000)).padStart(4, "0");
}

/** A user's accounts, oldest first. */
export function listAccounts(db: Db, userId: string): Promise<Account[]> {
  return db.select().from(accounts).where(eq(accounts.userId, userId)).orderBy(asc(accounts.id));
}

/** One account of this user, or undefined when it is missing or another user's. */
export async function findAccount(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<Account | undefined> {
  const [row] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.userId, userId)));
  return row;
}

/** One account of a user of this client, or undefined when it is missing, another client's, or no user's. */
export async function findAccountOfClient(
  db: Db,
  { id, clientId }: { id: string; clientId: string },
): Promise<Account | undefined> {
  const [row] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.clientId, clientId), isNotNull(accounts.userId)));
  return row;
}

/** Closes an account of this client for good, as an operator would. What is pending towards it then fails. */
export async function closeAccount(db: Db, { id, clientId }: { id: string; clientId: string }): Promise<void> {
  await db
    .update(accounts)
    .set({ status: "closed" })
    .where(and(eq(accounts.id, id), eq(accounts.clientId, clientId)));
}

/** The id of the client's funding account of this name, which is opened at its first use. Its balance may go below zero. */
export async function findOrOpenFundingAccount(
  db: Db,
  { clientId, name }: { clientId: string; name: string },
): Promise<string> {
  await db
    .insert(accounts)
    .values({
      id: newId(),
      clientId,
      userId: null,
      name,
      type: "funding",
      mask: "0000",
      createdAt: clientTime(clientId),
    })
    .onConflictDoNothing({ target: [accounts.clientId, accounts.name], where: sql`type = 'funding'` });
  const [row] = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.clientId, clientId), eq(accounts.type, "funding"), eq(accounts.name, name)));
  if (!row) throw new Error("The funding account was opened just before.");
  return row.id;
}

/** The client's funding accounts, by name. */
export function listFundingAccounts(db: Db, clientId: string): Promise<Account[]> {
  const isFunding = and(eq(accounts.clientId, clientId), eq(accounts.type, "funding"));
  return db.select().from(accounts).where(isFunding).orderBy(asc(accounts.clientId), asc(accounts.name));
}

/** What was posted: both accounts and the posting. */
export type PostedFunding = { postingId: string; fundingId: string };

/**
 * Adds money to an account from a funding account of its client, by name: one posting of two entries. Returns undefined, and
 * has moved nothing, when there is no such account of a user or it is closed.
 */
export async function fundAccount(
  tx: Db,
  { accountId, amountCents, from = "Funding" }: { accountId: string; amountCents: number; from?: string },
): Promise<PostedFunding | undefined> {
  const [account] = await tx
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNotNull(accounts.userId)));
  if (!account) return undefined;
  const { clientId } = account;
  const fundingId = await findOrOpenFundingAccount(tx, { clientId, name: from });

  // Both rows are locked in the order of their ids, as wherever money moves.
  const open = await tx.execute(sql`
    select id from accounts where id in (${accountId}, ${fundingId}) and status = 'open' order by id for no key update`);
  if (open.rows.length !== 2) return undefined;
  const postingId = newId();
  await tx.execute(sql`
    with posted as (
      insert into entries (posting_id, account_id, amount_cents, created_at)
      select ${postingId}::uuid, account_id, amount_cents, ${clientTime(clientId)}
      from (values (${fundingId}::uuid, ${-amountCents}::bigint), (${accountId}::uuid, ${amountCents}::bigint))
        as movements (account_id, amount_cents)
      returning account_id, amount_cents
    )
    update accounts a set balance_cents = a.balance_cents + p.amount_cents from posted p where a.id = p.account_id`);
  return { postingId, fundingId };
}

/** What stands in the books under one id: an account, a transfer with its hold or its posting, or money added by hand. */
type ThingInBooks = { id: string };

/** A part of a client's books: accounts, holds and all entries of its postings, which sum to 0. In cents. */
export type Books = {
  accounts: Account[];
  holds: (typeof holds.$inferSelect)[];
  entries: (typeof entries.$inferSelect)[];
  sumCents: number;
};

/** What stands in a client's books, newest first; each kind is walked along an index of its own. */
export async function listThingsInBooks(
  tx: Db,
  { clientId, limit, startingAfter }: Page & { clientId: string },
): Promise<ThingInBooks[]> {
  const opened = newestOfOwner([[sql`a.client_id`, clientId]], sql`a.id`, startingAfter);
  const added = newestOfOwner([[sql`e.account_id`, sql`f.id`]], sql`e.posting_id`, startingAfter);
  const { rows } = await tx.execute<ThingInBooks>(sql`
    select id from (
      (select a.id from accounts a where ${opened.isAsked} order by ${opened.newestFirst} limit ${limit})
      union all
      (${newestTransfersOfClient({ clientId, limit, startingAfter, statuses: ["pending", "processed"] })})
      union all
      select added.id from accounts f cross join lateral (
        select e.posting_id as id from entries e
        where e.transfer_id is null and ${added.isAsked} order by ${added.newestFirst} limit ${limit}) added
      where f.client_id = ${clientId} and f.type = 'funding'
    ) thing
    order by id desc limit ${limit}`);
  return rows;
}

/**
 * Reads these things of a client's books, and the accounts that their holds and entries name; in a transaction that reads one
 * moment, or its parts may not agree.
 */
export async function readBooks(tx: Db, clientId: string, things: ThingInBooks[]): Promise<Books> {
  const ids = things.map(({ id }) => id);
  const isAmong = (column: SQLWrapper, among: string[]) => sql`${column} = any(${sql.param(among)}::uuid[])`;
  const held = await tx.select().from(holds).where(isAmong(holds.transferId, ids)).orderBy(asc(holds.transferId));
  const posted = await tx
    .select()
    .from(entries)
    .where(isAmong(entries.postingId, ids))
    .orderBy(desc(entries.createdAt), desc(entries.postingId), asc(entries.amountCents));
  const named = new Set([...ids, ...[...held, ...posted].map(({ accountId }) => accountId)]);
  const isShown = and(eq(accounts.clientId, clientId), isAmong(accounts.id, [...named]));
  return {
    accounts: await tx.select().from(accounts).where(isShown).orderBy(asc(accounts.id)),
    holds: held,
    entries: posted,
    sumCents: posted.reduce((sum, { amountCents }) => sum + amountCents, 0),
  };
}
