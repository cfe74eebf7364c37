import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { clientTime } from "./clients.ts";
import type { Db } from "./database.ts";
import { accounts } from "./schema.ts";

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

/** A user's accounts, oldest first. */
export function listAccounts(db: Db, userId: string): Promise<Account[]> {
  return db.select().from(accounts).where(eq(accounts.userId, userId)).orderBy(asc(accounts.id));
}

/** One account of this user, or undefined when it is missing or somebody else's. */
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

/** The id of the client's funding account, which is opened at the first call. Its balance may go below zero. */
export async function findOrOpenFundingAccount(db: Db, clientId: string): Promise<string> {
  await db
    .insert(accounts)
    .values({
      id: newId(),
      clientId,
      userId: null,
      name: "Sandbox funding",
      type: "funding",
      mask: "0000",
      createdAt: clientTime(clientId),
    })
    .onConflictDoNothing({ target: accounts.clientId, where: sql`type = 'funding'` });
  const [row] = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.clientId, clientId), eq(accounts.type, "funding"), isNull(accounts.userId)));
  if (!row) throw new Error("The funding account was opened just before.");
  return row.id;
}
