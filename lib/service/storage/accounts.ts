import { randomInt } from "node:crypto";
import { and, asc, desc, eq, isNotNull, type SQLWrapper, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { newestOfOwner, type Page } from "./pagination.ts";
import { newestTransfersOfClient } from "./routines.ts";
import { accounts, entries, holds } from "./schema.ts";
import type { User } from "./users.ts";

/** Balance and holds in cents. */
export type Account = typeof accounts.$inferSelect;

export type NewAccount = {
  clientId: string;
  userId: string;
  name: string;
  type: "wallet" | "operating";
  mask: string;
};

export async function insertAccount(db: Db, account: NewAccount): Promise<Account> {
  const [row] = await db
    .insert(accounts)
    .values({ ...account, id: newId(), createdAt: clientTime(account.clientId) })
    .returning();
  if (!row) throw new Error("An insert must return its row.");
  return row;
}

/** Opens the wallet of an approved personal user, unless the user has an account. Decision D12 */
export async function openWallet(tx: Db, { id: userId, clientId, userType }: User): Promise<void> {
  if (userType !== "personal" || (await listAccounts(tx, userId)).length > 0) return;
  await insertAccount(tx, { clientId, userId, name: "Wallet", type: "wallet", mask: newMask() });
}

/** The last four digits of a new account's number, the only ones shown. */
export function newMask(): string {
  return String(randomInt(10_000)).padStart(4, "0");
}

/** Oldest first. */
export function listAccounts(db: Db, userId: string): Promise<Account[]> {
  return db.select().from(accounts).where(eq(accounts.userId, userId)).orderBy(asc(accounts.id));
}

/** Undefined when it is missing or another user's. */
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

/** Undefined when it is missing, another client's, or has no user. */
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

/** Closes an account for good. Its pending incoming transfers will fail. */
export async function closeAccount(db: Db, { id, clientId }: { id: string; clientId: string }): Promise<void> {
  await db
    .update(accounts)
    .set({ status: "closed" })
    .where(and(eq(accounts.id, id), eq(accounts.clientId, clientId)));
}

/** Opens the client's funding account of this name at its first use. Its balance may go below zero. */
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

export type PostedFunding = { postingId: string; fundingId: string };

/** Moves money from a client's funding account to a user's; undefined when that is missing or closed. */
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

  // Locked in the order of their ids, as wherever money moves.
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

/** An account, a transfer or a funding posting. */
type LedgerItem = { id: string };

/** Accounts, holds and all entries of a page of postings, which sum to 0. In cents. */
export type Books = {
  accounts: Account[];
  holds: (typeof holds.$inferSelect)[];
  entries: (typeof entries.$inferSelect)[];
  sumCents: number;
};

/** A page of a client's ledger, newest first. Each kind is read along its own index. */
export async function listLedgerItems(
  tx: Db,
  { clientId, limit, startingAfter }: Page & { clientId: string },
): Promise<LedgerItem[]> {
  const opened = newestOfOwner([[sql`a.client_id`, clientId]], sql`a.id`, startingAfter);
  const added = newestOfOwner([[sql`e.account_id`, sql`f.id`]], sql`e.posting_id`, startingAfter);
  const { rows } = await tx.execute<LedgerItem>(sql`
    select id from (
      (select a.id from accounts a where ${opened.isOnPage} order by ${opened.newestFirst} limit ${limit})
      union all
      (${newestTransfersOfClient({ clientId, limit, startingAfter, statuses: ["pending", "processed"] })})
      union all
      select added.id from accounts f cross join lateral (
        select e.posting_id as id from entries e
        where e.transfer_id is null and ${added.isOnPage} order by ${added.newestFirst} limit ${limit}) added
      where f.client_id = ${clientId} and f.type = 'funding'
    ) thing
    order by id desc limit ${limit}`);
  return rows;
}

/** Reads these parts of a client's ledger and the accounts they name. Use one snapshot, or the parts may not agree. */
export async function readBooks(tx: Db, clientId: string, things: LedgerItem[]): Promise<Books> {
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
