import { eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { within } from "../../kit/transaction.ts";
import type { AccountFacts, PartFacts, ReferenceFacts, TransferFacts } from "../domain/reconciliation.ts";
import { partOfHold } from "./account-parts.ts";
import type { Connection, Db } from "./database.ts";
import { reconciliations } from "./schema.ts";

/** The newest reconciliation that came to its end: how many problems it found, and how long ago. */
export type LastReconciliation = { problems: number; secondsAgo: number };

/** Notes that the books are being compared, and returns under which id. */
export async function insertReconciliation(db: Db): Promise<string> {
  const id = newId();
  await db.insert(reconciliations).values({ id });
  return id;
}

/**
 * The same, but only when none ended within a day and none that may still be under way began within an hour; otherwise
 * undefined. Two processes that ask at the same instant may both get one, which costs a second look and harms nothing.
 */
export async function insertDueReconciliation(db: Db): Promise<string | undefined> {
  const { rows } = await db.execute<{ id: string }>(sql`
    insert into reconciliations (id)
    select ${newId()}::uuid where not exists (
      select from reconciliations
      where finished_real_at > now() - interval '1 day'
        or finished_real_at is null and started_real_at > now() - interval '1 hour')
    returning id`);
  return rows[0]?.id;
}

/** Notes how many problems were found, and forgets reconciliations of more than 90 days ago. */
export async function finishReconciliation(db: Db, { id, problems }: { id: string; problems: number }): Promise<void> {
  await db.update(reconciliations).set({ finishedRealAt: sql`now()`, problems }).where(eq(reconciliations.id, id));
  await db.delete(reconciliations).where(sql`${reconciliations.startedRealAt} < now() - interval '90 days'`);
}

/** What the last finished reconciliation found; undefined, which is not "nothing", when none was finished yet. */
export async function findLastReconciliation(db: Db): Promise<LastReconciliation | undefined> {
  const { rows } = await db.execute<LastReconciliation>(sql`
    select problems, extract(epoch from now() - finished_real_at)::float8 as "secondsAgo"
    from reconciliations where finished_real_at is not null order by finished_real_at desc limit 1`);
  return rows[0];
}

/** Whether no other transaction compares the books; for as long as this one does, it says no to others. */
export async function isOnlyReconciliation(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isOnly: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('reconciliation', 0)) as "isOnly"`,
  );
  return rows[0]?.isOnly === true;
}

/**
 * Accounts after this id in the order of their ids, with the sums of their entries and holds, and with their parts; however
 * long that takes, up to an hour, because one account may have very many entries.
 */
export async function listAccountFacts(connection: Connection, after: string, limit: number): Promise<AccountFacts[]> {
  await connection.query("set local statement_timeout = '1 h'");
  const { rows } = await connection.query<AccountRow>(within(hourMs, accountFacts, [after, limit]));
  return rows.map(({ balanceCents, heldCents, entriesCents, holdsCents, parts, ...row }) => ({
    ...row,
    balanceCents: BigInt(balanceCents),
    heldCents: BigInt(heldCents),
    entriesCents: BigInt(entriesCents),
    holdsCents: BigInt(holdsCents),
    parts: parts.map((part) => ({
      number: part.number,
      balanceCents: BigInt(part.balanceCents),
      heldCents: BigInt(part.heldCents),
      holdsCents: BigInt(part.holdsCents),
    })),
  }));
}

const hourMs = 60 * 60 * 1000;
type AccountRow = Omit<Texts<AccountFacts>, "parts"> & { parts: Texts<PartFacts>[] };
const accountFacts = `
  with page as (select * from accounts where id > $1 order by id limit $2)
  select a.id, a.type = 'funding' as "isFunding", a.parts as "partsWanted",
    (a.balance_cents + divided.balance_cents)::text as "balanceCents",
    (a.held_cents + divided.held_cents)::text as "heldCents",
    (select coalesce(sum(e.amount_cents), 0)::text from entries e where e.account_id = a.id) as "entriesCents",
    (select coalesce(sum(h.amount_cents), 0)::text from holds h where h.account_id = a.id) as "holdsCents",
    divided.parts
  from page a cross join lateral (
    select coalesce(sum(p.balance_cents), 0) as balance_cents, coalesce(sum(p.held_cents), 0) as held_cents,
      coalesce(jsonb_agg(jsonb_build_object('number', p.number, 'balanceCents', p.balance_cents::text,
        'heldCents', p.held_cents::text, 'holdsCents', (
          select coalesce(sum(h.amount_cents), 0)::text from holds h
          where h.account_id = a.id and ${partOfHold("h.part_number", "a.parts")} = p.number
        )) order by p.number), '[]') as parts
    from account_parts p where p.account_id = a.id
  ) divided
  order by a.id`;

/** Postings after this id in the order of their ids, with what they sum to. */
export async function listPostingFacts(tx: Db, after: string, limit: number): Promise<{ id: string; cents: bigint }[]> {
  const { rows } = await tx.execute<{ id: string; cents: string }>(sql`
    select posting_id as id, sum(amount_cents)::text as cents from entries
    where posting_id > ${after} group by posting_id order by posting_id limit ${limit}`);
  return rows.map(({ id, cents }) => ({ id, cents: BigInt(cents) }));
}

/** Transfers after this id in the order of their ids, with what belongs to each. */
export async function listTransferFacts(tx: Db, after: string, limit: number): Promise<TransferFacts[]> {
  const { rows } = await tx.execute<TransferFacts>(sql`
    with page as (select * from transfers where id > ${after} order by id limit ${limit})
    select t.id, t.status, r.status as "routineStatus", held.holds, held."rightHolds", moved.entries, moved."rightEntries"
    from page t
    left join routines r on r.id = t.routine_id
    cross join lateral (
      select count(*)::int as holds,
        count(*) filter (where amount_cents = t.amount_cents and account_id = t.source_id)::int as "rightHolds"
      from holds where transfer_id = t.id
    ) held
    cross join lateral (
      select count(*)::int as entries, count(*) filter (where (account_id, amount_cents) in (
        (t.source_id, -t.amount_cents), (t.destination_id, t.amount_cents)))::int as "rightEntries"
      from entries where transfer_id = t.id
    ) moved
    order by t.id`);
  return rows;
}

/** Where rows refer to others without a foreign key (docs/decisions/0045): how to walk them, page by page. */
export type ReferringRows = {
  /** What is before the first id. */
  start: string;
  listPage: (tx: Db, after: string, limit: number) => Promise<ReferenceFacts[]>;
};

/** All of them. Of deliveries and idempotency keys each client is one row, because they refer to nothing else. */
export const referringRows: readonly ReferringRows[] = [
  tokensOf("access_tokens"),
  tokensOf("refresh_tokens"),
  recordsOf("routines", "id", { client_id: "clients", user_id: "users" }),
  recordsOf("transfers", "id", {
    routine_id: "routines",
    client_id: "clients",
    user_id: "users",
    source_id: "accounts",
    destination_id: "accounts",
  }),
  recordsOf("holds", "transfer_id", { transfer_id: "transfers", account_id: "accounts" }),
  recordsOf("entries", "posting_id", { account_id: "accounts", transfer_id: "transfers" }),
  clientsOf("deliveries"),
  clientsOf("idempotency_keys"),
];

function recordsOf(table: string, key: string, parents: Record<string, string>): ReferringRows {
  const start = "00000000-0000-0000-0000-000000000000";
  return { start, listPage: pagesOf(table, key, parents, { name: sql`${sql.identifier(key)}::text` }) };
}

// Not even a hash of a token is shown.
function tokensOf(table: string): ReferringRows {
  const parents = { authorization_id: "authorizations", client_id: "clients", user_id: "users" };
  return { start: "\\x", listPage: pagesOf(table, "token_hash", parents, { name: sql`null` }) };
}

function pagesOf(
  table: string,
  keyColumn: string,
  parents: Record<string, string>,
  { name }: { name: SQL },
): ReferringRows["listPage"] {
  const [from, key] = [sql.identifier(table), sql.identifier(keyColumn)];
  const missing = Object.entries(parents).map(([column, parent]) => missingFrom(parent, column));
  return async (tx, after, limit) => {
    // Rows with the same key stay on one page.
    const { rows } = await tx.execute<ReferenceFacts>(sql`
      select ${key}::text as id, ${table} as "table", ${name} as row,
        jsonb_strip_nulls(jsonb_build_object(${sql.join(missing, sql`, `)})) as missing
      from ${from} referring
      where ${key} in (select distinct ${key} from ${from} where ${key} > ${after} order by ${key} limit ${limit})
      order by ${key}`);
    return rows;
  };
}

// From one client to the next, by one step in the index, however many rows a client has.
function clientsOf(table: string): ReferringRows {
  const from = sql.identifier(table);
  return {
    start: "",
    listPage: async (tx, after, limit) => {
      const { rows } = await tx.execute<ReferenceFacts>(sql`
        with recursive referring (client_id) as (
          select min(client_id) from ${from} where client_id > ${after}
          union all
          select (select min(t.client_id) from ${from} t where t.client_id > referring.client_id) from referring
          where referring.client_id is not null
        )
        select client_id as id, ${table} as "table", null as row,
          jsonb_strip_nulls(jsonb_build_object(${missingFrom("clients", "client_id")})) as missing
        from referring where client_id is not null limit ${limit}`);
      return rows;
    },
  };
}

function missingFrom(parent: string, column: string): SQL {
  const id = sql`referring.${sql.identifier(column)}`;
  const isThere = sql`select from ${sql.identifier(parent)} parent where parent.id = ${id}`;
  return sql`${column}::text, case when not exists (${isThere}) then ${id} end`;
}

// PostgreSQL's bigint and numeric arrive as text.
type Texts<Facts> = { [Key in keyof Facts]: Facts[Key] extends bigint ? string : Facts[Key] };
