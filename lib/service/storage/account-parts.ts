import type { PartOfAccount } from "../domain/account-parts.ts";
import type { Connection } from "./database.ts";
import { runPrepared } from "./prepared.ts";

/** An account as it is before it is divided anew; in cents, its parts included. */
export type DividableAccount = PartOfAccount & { isFunding: boolean; parts: number };

/**
 * Keeps everybody from writing to any part, until the end of the transaction: what reads or writes parts of an account locks
 * this table before it takes its snapshot, so it sees the parts from before or after, and never some of each.
 */
export async function lockAllParts(connection: Connection): Promise<void> {
  await connection.query("lock table account_parts in exclusive mode");
}

/** Locks an account and returns what it has in all; undefined when there is none of this id. */
export async function lockDividableAccount(connection: Connection, id: string): Promise<DividableAccount | undefined> {
  const { rows } = await connection.query<Omit<DividableAccount, keyof PartOfAccount> & Texts>(
    `select a.type = 'funding' as "isFunding", a.parts, (a.balance_cents + p.balance_cents)::text as "balanceCents",
       (a.held_cents + p.held_cents)::text as "heldCents"
     from accounts a cross join lateral (
       select coalesce(sum(balance_cents), 0) as balance_cents, coalesce(sum(held_cents), 0) as held_cents
       from account_parts where account_id = a.id
     ) p
     where a.id = $1 for no key update of a`,
    [id],
  );
  return rows.map((row) => ({ ...row, balanceCents: BigInt(row.balanceCents), heldCents: BigInt(row.heldCents) }))[0];
}

/** What the holds of an account sum to in each of so many parts, in cents, the first part first. */
export async function sumHoldsByPart(
  connection: Connection,
  { accountId, parts }: { accountId: string; parts: number },
): Promise<bigint[]> {
  const { rows } = await connection.query<{ cents: string }>(
    `select coalesce(sum(h.amount_cents), 0)::text as cents
     from generate_series(1, $2::int) as part (number)
     left join holds h on h.account_id = $1 and ${partOfHold("h.part_number", "$2::int")} = part.number
     group by part.number order by part.number`,
    [accountId, parts],
  );
  return rows.map(({ cents }) => BigInt(cents));
}

/** Puts these parts, or none and the whole in its own row, in place of what an account has. All must be locked before. */
export async function replaceParts(
  connection: Connection,
  { accountId, whole, parts }: { accountId: string; whole: PartOfAccount; parts: readonly PartOfAccount[] },
): Promise<void> {
  await connection.query("update account_parts set balance_cents = 0, held_cents = 0 where account_id = $1", [
    accountId,
  ]);
  await connection.query("delete from account_parts where account_id = $1", [accountId]);
  await connection.query("update accounts set parts = $2, balance_cents = $3, held_cents = $4 where id = $1", [
    accountId,
    parts.length,
    parts.length > 0 ? 0n : whole.balanceCents,
    parts.length > 0 ? 0n : whole.heldCents,
  ]);
  await connection.query(
    `insert into account_parts (account_id, number, balance_cents, held_cents)
     select $1, number, balance_cents, held_cents
     from unnest($2::bigint[], $3::bigint[]) with ordinality as part (balance_cents, held_cents, number)`,
    [accountId, parts.map(({ balanceCents }) => balanceCents), parts.map(({ heldCents }) => heldCents)],
  );
}

/** What a transaction that has locked all parts of these accounts is about to hold, each in one part of its account. */
export type WantedOfPart = { accountId: string; partNumber: number; cents: number };

/**
 * Spreads what divided accounts have available evenly over their parts, besides what is wanted of one of them, which gets
 * that too. Their parts must be locked, and together cover what is wanted.
 */
export async function spreadOverParts(connection: Connection, wanted: readonly WantedOfPart[]): Promise<void> {
  await runPrepared(connection, spread, [
    wanted.map(({ accountId }) => accountId),
    wanted.map(({ partNumber }) => partNumber),
    wanted.map(({ cents }) => cents),
  ]);
}

const spread = {
  name: "spread_over_parts",
  text: `
    with wanted as (
      select * from unnest($1::uuid[], $2::smallint[], $3::bigint[]) as w (account_id, number, cents)
    ), wholes as (
      select w.account_id, count(*) as parts, (sum(p.balance_cents - p.held_cents) - w.cents)::bigint as left_cents
      from wanted w join account_parts p on p.account_id = w.account_id
      group by w.account_id, w.cents
    )
    update account_parts p
    set balance_cents = p.held_cents + whole.left_cents / whole.parts
      + case when p.number <= whole.left_cents % whole.parts then 1 else 0 end
      + case when p.number = w.number then w.cents else 0 end
    from wholes whole join wanted w on w.account_id = whole.account_id
    where p.account_id = whole.account_id`,
};

/**
 * The piece of a statement that locks all parts of the accounts of `locked` (id, parts), which are locked before. Settlement
 * takes all of them, because a batch pays from most.
 */
export function lockPartsOfLocked(whenHeld: "" | "skip locked"): string {
  return `
    locked_parts as materialized (
      select p.account_id from account_parts p
      where p.account_id = any (array(select id from locked where parts > 0))
      order by p.account_id, p.number for no key update of p ${whenHeld}
    )`;
}

/**
 * The number of the part that a hold of a divided account counts in: its own, or the first, where the account has none of this
 * number. So neither dividing an account nor folding it back touches its holds.
 */
export function partOfHold(partNumber: string, parts: string): string {
  return `case when ${partNumber} <= ${parts} then ${partNumber} else 1 end`;
}

/** The part that a payment to a divided account is added to: the one with the least available as far as is seen. */
export function partToAddTo(accountId: string): string {
  return `(
    select least.number from account_parts least where least.account_id = ${accountId}
    order by least.balance_cents - least.held_cents, least.number limit 1)`;
}

/** What an account has, or has held, in all: a column of its row, or of its parts where it has any. */
export function inAll(column: "balance_cents" | "held_cents", account: string): string {
  return `(
    case when ${account}.parts = 0 then ${account}.${column}
    else (select sum(part.${column}) from account_parts part where part.account_id = ${account}.id)::bigint end)`;
}

// PostgreSQL's bigint and numeric arrive as text.
type Texts = { balanceCents: string; heldCents: string };
