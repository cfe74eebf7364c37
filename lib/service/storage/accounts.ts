import { randomInt } from "node:crypto";
import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { clientTimeOfInsert } from "./clients.ts";
import type { Db, RowOfClient, RowOfUser } from "./database.ts";
import type { User } from "./people.ts";
import { accounts, entries } from "./schema.ts";

/** Balance and holds in cents. */
export type Account = typeof accounts.$inferSelect;

export type NewAccount = Pick<Account, "clientId" | "name" | "mask"> & { userId: string; type: "wallet" | "operating" };

export async function insertAccount(db: Db, account: NewAccount): Promise<Account> {
  const [row] = await db
    .insert(accounts)
    .values({ ...account, id: newId(), createdAt: clientTimeOfInsert(account.clientId) })
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

/** Undefined if it's missing or another user's. */
export async function findAccount(db: Db, { id, userId }: RowOfUser): Promise<Account | undefined> {
  const [row] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.userId, userId)));
  return row;
}

/** Undefined if it's missing, another client's, or has no user. */
export async function findAccountOfClient(db: Db, { id, clientId }: RowOfClient): Promise<Account | undefined> {
  const [row] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.clientId, clientId), isNotNull(accounts.userId)));
  return row;
}

/** Opens the client's funding account of this name on first use. Its balance may go below zero. */
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
      createdAt: clientTimeOfInsert(clientId),
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

/** Moves money from a client's funding account to a user's; undefined if that account is missing or closed. */
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

  const posted = await postFunding(tx, { clientId, fundingId, accountId, amountCents });
  return posted.kind === "posted" ? { postingId: posted.postingId, fundingId } : undefined;
}

export type FundingPosting =
  | { kind: "posted"; postingId: string }
  | { kind: "not_open" }
  | { kind: "too_little_available" };

type NewFunding = { clientId: string; fundingId: string; accountId: string; amountCents: number };

/** Posts from a client's funding account to a user's, or back with a negative amount, which must be available. */
export async function postFunding(
  tx: Db,
  { clientId, fundingId, accountId, amountCents }: NewFunding,
): Promise<FundingPosting> {
  // Locked in id order, as everywhere that money moves.
  const { rows: open } = await tx.execute<{ id: string; available: string }>(sql`
    select id, balance_cents - held_cents as available from accounts
    where id in (${accountId}, ${fundingId}) and status = 'open' order by id for no key update`);
  if (open.length !== 2) return { kind: "not_open" };
  const available = Number(open.find(({ id }) => id === accountId)?.available);
  if (available + amountCents < 0) return { kind: "too_little_available" };
  const postingId = newId();
  await post(tx, { postingId, transferId: null, clientId, fromId: fundingId, toId: accountId, amountCents });
  return { kind: "posted", postingId };
}

type NewPosting = {
  postingId: string;
  transferId: string | null;
  clientId: string;
  fromId: string;
  toId: string;
  amountCents: number;
};

/** Posts between two locked accounts. */
export async function post(
  tx: Db,
  { postingId, transferId, clientId, fromId, toId, amountCents }: NewPosting,
): Promise<void> {
  const createdAt = clientTimeOfInsert(clientId);
  await tx.insert(entries).values([
    { postingId, accountId: fromId, transferId, amountCents: -amountCents, createdAt },
    { postingId, accountId: toId, transferId, amountCents, createdAt },
  ]);
  await tx.execute(sql`
    update accounts set balance_cents = balance_cents + case when id = ${toId} then ${amountCents}::bigint
      else ${-amountCents}::bigint end
    where id in (${fromId}, ${toId})`);
}
