import { eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import { withTimeout } from "../../kit/transaction.ts";
import type { AccountFacts, KeyFacts, PostingFacts, ReferenceFacts, TransferFacts } from "../domain/reconciliation.ts";
import type { Connection, Db } from "./database.ts";
import { reconciliations } from "./schema.ts";

export type LastReconciliation = { problems: number; secondsAgo: number };

export async function insertReconciliation(db: Db): Promise<string> {
  const id = newId();
  await db.insert(reconciliations).values({ id });
  return id;
}

/**
 * Like `insertReconciliation`, but only if none finished within a day and no running one reported progress within two
 * hours. A race can start two, which is harmless.
 */
export async function insertDueReconciliation(db: Db): Promise<string | undefined> {
  const { rows } = await db.execute<{ id: string }>(sql`
    insert into reconciliations (id)
    select ${newId()}::uuid where not exists (
      select from reconciliations
      where finished_real_at > now() - interval '1 day'
        or finished_real_at is null and started_real_at > now() - interval '2 hours')
    returning id`);
  return rows[0]?.id;
}

export async function keepReconciliationAlive(db: Db, id: string): Promise<void> {
  await db.execute(sql`
    update reconciliations set started_real_at = now() where id = ${id} and started_real_at < now() - interval '1 minute'`);
}

/** Records the result, and deletes reconciliations older than 90 days. */
export async function finishReconciliation(db: Db, { id, problems }: { id: string; problems: number }): Promise<void> {
  await db.update(reconciliations).set({ finishedRealAt: sql`now()`, problems }).where(eq(reconciliations.id, id));
  await db.delete(reconciliations).where(sql`${reconciliations.startedRealAt} < now() - interval '90 days'`);
}

/** Undefined before the first one has finished. */
export async function findLastReconciliation(db: Db): Promise<LastReconciliation | undefined> {
  const { rows } = await db.execute<LastReconciliation>(sql`
    select problems, extract(epoch from now() - finished_real_at)::float8 as "secondsAgo"
    from reconciliations where finished_real_at is not null order by finished_real_at desc limit 1`);
  return rows[0];
}

/**
 * Makes this transaction join a page's rows by key. Otherwise the planner, which doesn't know that a page is small, would
 * scan the other table.
 */
export async function joinByKeys(connection: Connection): Promise<void> {
  const plans = ["enable_hashjoin", "enable_mergejoin", "enable_seqscan"];
  await connection.query(plans.map((plan) => `set local ${plan} = off`).join("; "));
}

export type Page<Row> = { rows: Row[]; next: string | undefined };

export type RowGroup<Facts extends { id: string }> = { facts: Omit<Facts, "id">; count: number; ids: string[] };

/**
 * Accounts by id, with the sums of their entries and holds. Can take up to an hour, because one account may have very
 * many entries.
 */
export async function listAccountFacts(
  connection: Connection,
  after: string,
  limit: number,
): Promise<Page<AccountFacts>> {
  await connection.query("set local statement_timeout = '1 h'");
  const { rows } = await connection.query<Texts<AccountFacts>>(withTimeout(hourMs, accountFacts, [after, limit]));
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

/** Postings by id, grouped by equal sums. */
export async function listPostingFacts(tx: Db, after: string, limit: number): Promise<Page<RowGroup<PostingFacts>>> {
  const { rows } = await tx.execute<GroupRow & { cents: string; isExplained: boolean }>(sql`
    with page as (
      select posting_id as id, sum(amount_cents) as cents,
        bool_and(transfer_id is not distinct from posting_id) as "isOfTransfer"
      from entries where posting_id > ${after} group by posting_id order by posting_id limit ${limit}
    ), facts as (
      select id, cents, "isOfTransfer" or exists (
        select from entries e join accounts a on a.id = e.account_id
        where e.posting_id = page.id and e.transfer_id is null and a.type = 'funding'
      ) as "isExplained"
      from page
    )
    select cents::text, "isExplained", ${groupColumns(limit)} from facts group by cents, "isExplained"`);
  return pageOf(rows, ({ cents, isExplained }) => ({ cents: BigInt(cents), isExplained }));
}

/** Transfers by id, grouped by equal related rows. */
export async function listTransferFacts(
  tx: Db,
  after: string,
  limit: number,
  { settlementDelayMs }: { settlementDelayMs: number },
): Promise<Page<RowGroup<TransferFacts>>> {
  const { rows } = await tx.execute<GroupRow & Omit<TransferFacts, "id">>(sql`
    with page as (select * from transfers where id > ${after} order by id limit ${limit}),
    facts as (
      select t.id, t.status, r.status as "routineStatus", held.*, moved.*,
        t.status = 'pending' and (
          coalesce(t.due_real_at > now() + interval '1 day' + make_interval(secs => ${settlementDelayMs / 1000}), false)
          or exists (
            select from quarantine q
            where q.kind = 'transfer' and q.id = t.id::text and q.retry_real_at > now() + interval '2 hours')
        ) as "isDueTooLate",
        case when t.status = 'pending' and t.due_real_at is null then t.amount_cents::float8 end as "undatedCents",
        o.state as "orderState"
      from page t
      left join routines r on r.id = t.routine_id
      left join settlement_orders o on o.transfer_id = t.id
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
    select status, "routineStatus", holds, "rightHolds", entries, "rightEntries", "isDueTooLate", "undatedCents", "orderState",
      ${groupColumns(limit)}
    from facts group by 1, 2, 3, 4, 5, 6, 7, 8, 9`);
  return pageOf(rows, (facts) => facts);
}

type GroupRow = { count: number; ids: string[]; next: string | null };
const idsMax = 100;

function groupColumns(limit: number): SQL {
  return sql`count(*)::int as count, (array_agg(id order by id))[1:${sql.raw(String(idsMax))}] as ids,
    (select (array_agg(id order by id desc))[1] from page having count(*) = ${limit}) as next`;
}

function pageOf<Row extends GroupRow, Facts>(rows: Row[], factsOf: (row: Omit<Row, keyof GroupRow>) => Facts) {
  return {
    rows: rows.map(({ count, ids, next: _next, ...row }) => ({ facts: factsOf(row), count, ids })),
    next: rows[0]?.next ?? undefined,
  };
}

export const nilUuid = "00000000-0000-0000-0000-000000000000";

export async function listRoutinesWithoutTransfer(tx: Db, after: string, limit: number): Promise<Page<string>> {
  const { rows } = await tx.execute<{ next: string | null; found: string[] }>(sql`
    with page as (select id from routines where id > ${after} order by id limit ${limit})
    select (select (array_agg(id order by id desc))[1] from page having count(*) = ${limit}) as next,
      array(select id from page where not exists (select from transfers t where t.routine_id = page.id)) as found`);
  return { rows: rows[0]?.found ?? [], next: rows[0]?.next ?? undefined };
}

/** The id before the first transfer whose webhooks must still exist. */
export async function findDeliveryHorizon(
  db: Db,
  { deliveryRetentionDays }: { deliveryRetentionDays: number },
): Promise<string> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select greatest(first_id_at(now() - make_interval(days => ${deliveryRetentionDays - 1})),
      (select lowest from months_of('deliveries') limit 1)) as id`);
  return rows[0]?.id ?? nilUuid;
}

/**
 * Ended transfers that lack their own or their routine's webhook. Looks around the time when the transfer ended. With
 * `isThorough`, looks at all the client's webhooks since the booking, because a sandbox's clock may have moved.
 */
export async function listUnannouncedTransfers(
  tx: Db,
  after: string,
  limit: number,
  { isThorough }: { isThorough: boolean },
): Promise<Page<string>> {
  const windowsOf = isThorough
    ? sql`select client_id, time_of_id((array_agg(id order by id))[1]) - interval '1 hour' as begins,
        now() + interval '1 day' as ends
        from page group by client_id`
    : sql`select client_id, date_bin('10 s', updated_at, 'epoch') - interval '3 s' as begins,
        date_bin('10 s', updated_at, 'epoch') + interval '13 s' as ends
        from page where status <> 'pending' group by client_id, date_bin('10 s', updated_at, 'epoch')`;
  const { rows } = await tx.execute<{ next: string | null; found: string[] }>(sql`
    with page as materialized (select * from transfers where id > ${after} order by id limit ${limit}),
    windows as materialized (${windowsOf}),
    sent as materialized (
      select d.resource_id, d.webhook_type from windows w join deliveries d
        on d.client_id = w.client_id and d.id >= first_id_at(w.begins) and d.id < first_id_at(w.ends)
      where d.webhook_type in ('transfer_updated', 'routine_updated')
    ), unannounced as (
      -- As sets, because a page may be compared with many more webhooks than the planner would keep in a hash.
      select id from page where status <> 'pending'
      except select resource_id from sent where webhook_type = 'transfer_updated'
    ), unannounced_routines as (
      select routine_id from page where status <> 'pending'
      except select resource_id from sent where webhook_type = 'routine_updated'
    )
    select (select (array_agg(id order by id desc))[1] from page having count(*) = ${limit}) as next,
      array(
        select id from page
        where id in (select id from unannounced) or routine_id in (select routine_id from unannounced_routines)
      ) as found`);
  return { rows: rows[0]?.found ?? [], next: rows[0]?.next ?? undefined };
}

const keyColumns = sql.raw("client_id, user_scope, operation, key");

/** Idempotency keys after this one (as JSON of its primary key) that refer to a wrong record. Voided ones refer to none. */
export async function listWrongKeys(tx: Db, after: string, limit: number): Promise<Page<KeyFacts>> {
  const [clientId = "", userScope = "", operation = "", key = nilUuid] = JSON.parse(after) as string[];
  // A client's clock is never behind real time, and ids contain real time.
  const { rows } = await tx.execute<{ next: string[] | null; found: KeyFacts[] | null }>(sql`
    with page as materialized (
      select *, count(*) over (partition by resource_id) > 1 as is_shared from (
        select * from idempotency_keys
        where (${keyColumns}) > (${clientId}, ${userScope}, ${operation}, ${key}::uuid)
        order by ${keyColumns} limit ${limit}
      ) k
    ), judged as (
      select k.*, case
          when made.client_id is null then 'nothing'
          when made.client_id <> k.client_id or made.user_scope <> k.user_scope
            or made.created_at < k.created_real_at - interval '2 ms'
            or time_of_id(k.resource_id) > k.created_real_at + interval '10 minutes' then 'another'
          when k.is_shared then 'shared'
        end as stands_for
      from page k left join lateral (
        select client_id, user_id::text as user_scope, created_at from routines
        where k.operation = 'createBookRoutine' and id = k.resource_id
        union all
        select client_id, '', created_at from user_intents
        where k.operation = 'createUserIntent' and id = k.resource_id
      ) made on true
      where k.voided_real_at is null
    )
    select (select jsonb_build_array(${keyColumns}) from page order by ${sql.raw("client_id desc, user_scope desc, operation desc, key desc")} limit 1) as next,
      (select jsonb_agg(jsonb_build_object('clientId', client_id, 'operation', operation, 'key', key,
        'resourceId', resource_id, 'standsFor', stands_for)) from judged where stands_for is not null) as found
    where (select count(*) from page) > 0`);
  const [row] = rows;
  return { rows: row?.found ?? [], next: row?.next ? JSON.stringify(row.next) : undefined };
}

/** A table whose rows refer to others without a foreign key, and how to page through it. */
export type ReferringRows = {
  start: string;
  listPage: (tx: Db, after: string, limit: number) => Promise<Page<ReferenceFacts>>;
};

/** Deliveries and idempotency keys refer only to their client, so each client is one row. */
export const referringRows: readonly ReferringRows[] = [
  tokensOf("access_tokens"),
  tokensOf("refresh_tokens"),
  recordsOf("routines", "id", { client_id: "clients", user_id: ["users", "client_id"] }),
  recordsOf("transfers", "id", {
    routine_id: ["routines", "client_id", "user_id"],
    client_id: "clients",
    user_id: "users",
    source_id: ["accounts", "client_id", "user_id"],
    destination_id: ["accounts", "client_id"],
  }),
  recordsOf("holds", "transfer_id", { transfer_id: "transfers", account_id: "accounts" }),
  recordsOf("entries", "posting_id", { account_id: "accounts", transfer_id: "transfers" }),
  clientsOf("deliveries"),
  clientsOf("idempotency_keys"),
];

type Parents = Record<string, string | readonly [table: string, ...same: string[]]>;

function recordsOf(table: string, key: string, parents: Parents): ReferringRows {
  return { start: nilUuid, listPage: pagesOf(table, key, parents, sql`referring.${sql.identifier(key)}::text`) };
}

function tokensOf(table: string): ReferringRows {
  const parents = { authorization_id: "authorizations", client_id: "clients", user_id: "users" };
  return { start: "\\x", listPage: pagesOf(table, "token_hash", parents, sql`null`) };
}

function pagesOf(table: string, keyColumn: string, parents: Parents, name: SQL): ReferringRows["listPage"] {
  const [from, key] = [sql.identifier(table), sql.identifier(keyColumn)];
  const references = Object.entries(parents).map(([column, named], index) => {
    const [parentTable = "", ...same] = [named].flat();
    const [parent, id] = [sql.identifier(`parent_${index + 1}`), sql`referring.${sql.identifier(column)}`];
    return {
      column,
      id,
      join: sql`left join ${sql.identifier(parentTable)} ${parent} on ${parent}.id = ${id}`,
      isMissing: sql`${parent}.id is null and ${id} is not null`,
      differences: same.map((one) => sql`${parent}.${sql.identifier(one)} <> referring.${sql.identifier(one)}`),
    };
  });
  const joins = references.map(({ join }) => join);
  const wrong = references.flatMap(({ isMissing, differences }) => [isMissing, ...differences]);
  const missing = references.map(
    ({ column, id, isMissing }) => sql`${column}::text, case when ${isMissing} then ${id} end`,
  );
  const foreign = references.flatMap(({ column, id, differences }) => {
    if (differences.length === 0) return [];
    return [sql`${column}::text, case when ${sql.join(differences, sql` or `)} then ${id} end`];
  });
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
          'missing', jsonb_strip_nulls(jsonb_build_object(${sql.join(missing, sql`, `)})),
          'foreign', jsonb_strip_nulls(jsonb_build_object(${sql.join(foreign, sql`, `)})))), '[]')
        from ${from} referring ${sql.join(joins, sql` `)}
        where referring.${key} > ${after} and referring.${key} <= last.key and (${sql.join(wrong, sql` or `)})
      ) as found
      from last`);
    const [page] = rows;
    return { rows: page?.found ?? [], next: page?.next ?? undefined };
  };
}

// One index step per client, no matter how many rows a client has.
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
        rows: missing.map(({ id }) => ({ table, row: null, missing: { client_id: id }, foreign: {} })),
        next: rows.length < limit ? undefined : rows.at(-1)?.id,
      };
    },
  };
}

type Texts<Facts> = { [Key in keyof Facts]: Facts[Key] extends bigint ? string : Facts[Key] };
