import { and, asc, desc, eq, type SQLWrapper, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { type Account, findOrOpenFundingAccount } from "./accounts.ts";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { newestOfOwner } from "./newest-of-owner.ts";
import type { Page } from "./routines.ts";
import { accounts, entries, holds } from "./schema.ts";
import { newestTransfersOfClient } from "./transfers.ts";

/**
 * Adds money to an account from the funding account of its client: one posting of two entries. Returns false, and has
 * moved nothing, when there is no such account or it is closed.
 */
export async function fundAccount(
  tx: Db,
  { accountId, amountCents }: { accountId: string; amountCents: number },
): Promise<boolean> {
  const [account] = await tx.select({ clientId: accounts.clientId }).from(accounts).where(eq(accounts.id, accountId));
  if (!account) return false;
  const fundingId = await findOrOpenFundingAccount(tx, account.clientId);
  if (fundingId === accountId) return false;

  // Both rows are locked in the order of their ids, as wherever money moves.
  const open = await tx.execute(sql`
    select id from accounts where id in (${accountId}, ${fundingId}) and status = 'open' order by id for no key update`);
  if (open.rows.length !== 2) return false;
  await tx.execute(sql`
    with posted as (
      insert into entries (posting_id, account_id, amount_cents, created_at)
      select ${newId()}::uuid, account_id, amount_cents, ${clientTime(account.clientId)}
      from (values (${fundingId}::uuid, ${-amountCents}::bigint), (${accountId}::uuid, ${amountCents}::bigint))
        as movements (account_id, amount_cents)
      returning account_id, amount_cents
    )
    update accounts a set balance_cents = a.balance_cents + p.amount_cents from posted p where a.id = p.account_id`);
  return true;
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
