import { eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { within } from "../../kit/transaction.ts";
import type { AccountFacts, PostingFacts, ReferenceFacts, TransferFacts } from "../domain/reconciliation.ts";
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
 * Has this transaction look for what belongs to a page's rows by its keys. The planner, which does not know that there is a
 * page for each two thousand rows, would read the whole of another table for each.
 */
export async function joinByKeys(connection: Connection): Promise<void> {
  for (const way of ["enable_hashjoin", "enable_mergejoin", "enable_seqscan"]) {
    await connection.query(`set local ${way} = off`);
  }
}

/** A page of what was asked for, and after which key the next one begins; undefined when this is the last one. */
export type Page<Row> = { rows: Row[]; next: string | undefined };

/** What is true of so many rows of a page, and the ids of the first of them. */
export type Alike<Facts extends { id: string }> = { facts: Omit<Facts, "id">; count: number; ids: string[] };

/**
 * Accounts after this id in the order of their ids, with the sums of their entries and holds; however long that takes, up to
 * an hour, because one account may have very many entries.
 */
export async function listAccountFacts(
  connection: Connection,
  after: string,
  limit: number,
): Promise<Page<AccountFacts>> {
  await connection.query("set local statement_timeout = '1 h'");
  const { rows } = await connection.query<Texts<AccountFacts>>(within(hourMs, accountFacts, [after, limit]));
  const accounts = rows.map(({ balanceCents, heldCents, entriesCents, holdsCents, ...row }) => ({
    ...row,
    balanceCents: BigInt(balanceCents),
    heldCents: BigInt(heldCents),
    entriesCents: BigInt(entriesCents),
    holdsCents: BigInt(holdsCents),
  }));
  return { rows: accounts, next: rows.length < limit ? undefined : rows.at(-1)?.id };
}

const hourMs = 60 * 60 * 1000;
const accountFacts = `
  with page as (select * from accounts where id > $1 order by id limit $2)
  select a.id, a.type = 'funding' as "isFunding", a.balance_cents::text as "balanceCents", a.held_cents::text as "heldCents",
    (select coalesce(sum(e.amount_cents), 0)::text from entries e where e.account_id = a.id) as "entriesCents",
    (select coalesce(sum(h.amount_cents), 0)::text from holds h where h.account_id = a.id) as "holdsCents"
  from page a order by a.id`;

/** Postings after this id in the order of their ids, those that sum to the same told together. */
export async function listPostingFacts(tx: Db, after: string, limit: number): Promise<Page<Alike<PostingFacts>>> {
  const { rows } = await tx.execute<AlikeRow & { cents: string }>(sql`
    with page as (
      select posting_id as id, sum(amount_cents) as cents from entries
      where posting_id > ${after} group by posting_id order by posting_id limit ${limit}
    )
    select cents::text, ${alike(limit)} from page group by page.cents`);
  return pageOf(rows, ({ cents }) => ({ cents: BigInt(cents) }));
}

/** Transfers after this id in the order of their ids, those with which the same belongs told together. */
export async function listTransferFacts(tx: Db, after: string, limit: number): Promise<Page<Alike<TransferFacts>>> {
  const { rows } = await tx.execute<AlikeRow & Omit<TransferFacts, "id">>(sql`
    with page as (select * from transfers where id > ${after} order by id limit ${limit}),
    facts as (
      select t.id, t.status, r.status as "routineStatus", held.*, moved.*
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
    )
    select status, "routineStatus", holds, "rightHolds", entries, "rightEntries", ${alike(limit)}
    from facts group by 1, 2, 3, 4, 5, 6`);
  return pageOf(rows, (facts) => facts);
}

type AlikeRow = { count: number; ids: string[]; next: string | null };
// As many as are told in words.
const idsMax = 100;

/** The columns of AlikeRow, of groups of rows that have an id, in a statement with a page of so many rows. */
function alike(limit: number): SQL {
  return sql`count(*)::int as count, (array_agg(id order by id))[1:${sql.raw(String(idsMax))}] as ids,
    (select (array_agg(id order by id desc))[1] from page having count(*) = ${limit}) as next`;
}

function pageOf<Row extends AlikeRow, Facts>(rows: Row[], factsOf: (row: Omit<Row, keyof AlikeRow>) => Facts) {
  return {
    rows: rows.map(({ count, ids, next: _next, ...row }) => ({ facts: factsOf(row), count, ids })),
    next: rows[0]?.next ?? undefined,
  };
}

/** Where rows refer to others without a foreign key (docs/decisions/0045): how to walk them, page by page. */
export type ReferringRows = {
  /** What is before the first id. */
  start: string;
  /** Of a page, the rows that refer to something that does not exist. */
  listPage: (tx: Db, after: string, limit: number) => Promise<Page<ReferenceFacts>>;
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
  return { start, listPage: pagesOf(table, key, parents, { name: sql`referring.${sql.identifier(key)}::text` }) };
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
  const columns = Object.entries(parents);
  const joins = columns.map(
    ([column, parent], place) =>
      sql`left join ${sql.identifier(parent)} ${parentAt(place)} on ${parentAt(place)}.id = referring.${sql.identifier(column)}`,
  );
  const isMissing = columns.map(
    ([column], place) => sql`${parentAt(place)}.id is null and referring.${sql.identifier(column)} is not null`,
  );
  const missing = columns.map(
    ([column], place) =>
      sql`${column}::text, case when ${parentAt(place)}.id is null then referring.${sql.identifier(column)} end`,
  );
  return async (tx, after, limit) => {
    // Rows with the same key stay on one page.
    const { rows } = await tx.execute<{ next: string | null; found: ReferenceFacts[] }>(sql`
      with page as materialized (
        select distinct ${key} as key from ${from} where ${key} > ${after} order by ${key} limit ${limit}
      ), last as materialized (
        select (array_agg(key order by key desc))[1] as key, count(*) = ${limit} as "isFull" from page
      )
      select case when "isFull" then key end::text as next, (
        select coalesce(jsonb_agg(jsonb_build_object('table', ${table}::text, 'row', ${name},
          'missing', jsonb_strip_nulls(jsonb_build_object(${sql.join(missing, sql`, `)})))), '[]')
        from ${from} referring ${sql.join(joins, sql` `)}
        where referring.${key} > ${after} and referring.${key} <= last.key and (${sql.join(isMissing, sql` or `)})
      ) as found
      from last`);
    const [page] = rows;
    return { rows: page?.found ?? [], next: page?.next ?? undefined };
  };
}

function parentAt(place: number): SQL {
  return sql`${sql.identifier(`parent_${place + 1}`)}`;
}

// From one client to the next, by one step in the index, however many rows a client has.
function clientsOf(table: string): ReferringRows {
  const from = sql.identifier(table);
  return {
    start: "",
    listPage: async (tx, after, limit) => {
      const { rows } = await tx.execute<{ id: string; isThere: boolean }>(sql`
        with recursive referring (client_id) as (
          select min(client_id) from ${from} where client_id > ${after}
          union all
          select (select min(t.client_id) from ${from} t where t.client_id > referring.client_id) from referring
          where referring.client_id is not null
        )
        select client_id as id, exists (select from clients where id = client_id) as "isThere"
        from referring where client_id is not null limit ${limit}`);
      const missing = rows.filter(({ isThere }) => !isThere);
      return {
        rows: missing.map(({ id }) => ({ table, row: null, missing: { client_id: id } })),
        next: rows.length < limit ? undefined : rows.at(-1)?.id,
      };
    },
  };
}

// PostgreSQL's bigint and numeric arrive as text.
type Texts<Facts> = { [Key in keyof Facts]: Facts[Key] extends bigint ? string : Facts[Key] };
