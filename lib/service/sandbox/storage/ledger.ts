import { and, asc, desc, eq, type SQLWrapper, sql } from "drizzle-orm";
import type { Account } from "../../storage/accounts.ts";
import type { Db } from "../../storage/database.ts";
import { keysetPage, type Page } from "../../storage/pagination.ts";
import { newestTransfersOfClient } from "../../storage/routines.ts";
import { accounts, entries, holds } from "../../storage/schema.ts";

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
  const opened = keysetPage([[sql`a.client_id`, clientId]], sql`a.id`, startingAfter);
  const added = keysetPage([[sql`e.account_id`, sql`f.id`]], sql`e.posting_id`, startingAfter);
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
    ) item
    order by id desc limit ${limit}`);
  return rows;
}

/** Reads these items of a client's ledger and the accounts they name. Use one snapshot, or the parts may not agree. */
export async function readBooks(tx: Db, clientId: string, items: LedgerItem[]): Promise<Books> {
  const ids = items.map(({ id }) => id);
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
