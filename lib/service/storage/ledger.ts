import { asc, desc, eq, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { type Account, findOrOpenFundingAccount } from "./accounts.ts";
import { clientTime } from "./client-time.ts";
import type { Db } from "./database.ts";
import { accounts, entries, holds } from "./schema.ts";

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

/** A client's books: every account and hold, the newest entries, and the sum of all entries, which is always 0. In cents. */
export type Ledger = {
  accounts: Account[];
  holds: (typeof holds.$inferSelect)[];
  entries: (typeof entries.$inferSelect)[];
  sumCents: number;
};

/** Reads a client's books, of the entries the newest `entriesMax`; in a transaction that reads one moment, or its parts may not agree. */
export async function readLedger(tx: Db, clientId: string, { entriesMax }: { entriesMax: number }): Promise<Ledger> {
  const isOfClient = eq(accounts.clientId, clientId);
  const [total] = await tx
    .select({ cents: sql<string>`coalesce(sum(${entries.amountCents}), 0)` })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .where(isOfClient);
  const newestEntries = await tx
    .select({ entry: entries })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.accountId))
    .where(isOfClient)
    .orderBy(desc(entries.createdAt), desc(entries.postingId), asc(entries.amountCents))
    .limit(entriesMax);
  const held = await tx
    .select({ hold: holds })
    .from(holds)
    .innerJoin(accounts, eq(accounts.id, holds.accountId))
    .where(isOfClient)
    .orderBy(asc(holds.transferId));
  return {
    accounts: await tx.select().from(accounts).where(isOfClient).orderBy(asc(accounts.id)),
    holds: held.map(({ hold }) => hold),
    entries: newestEntries.map(({ entry }) => entry),
    sumCents: Number(total?.cents),
  };
}
