import { eq, sql } from "drizzle-orm";
import { newId } from "../../kit/ids.ts";
import type { AccountFacts, TransferFacts } from "../domain/reconciliation.ts";
import type { Db } from "./database.ts";
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

/** Accounts after this id in the order of their ids, with the sums of their entries and holds. */
export async function listAccountFacts(tx: Db, after: string, limit: number): Promise<AccountFacts[]> {
  const { rows } = await tx.execute<Texts<AccountFacts>>(sql`
    with page as (select * from accounts where id > ${after} order by id limit ${limit})
    select a.id, a.type = 'funding' as "isFunding", a.balance_cents::text as "balanceCents",
      a.held_cents::text as "heldCents",
      (select coalesce(sum(e.amount_cents), 0)::text from entries e where e.account_id = a.id) as "entriesCents",
      (select coalesce(sum(h.amount_cents), 0)::text from holds h where h.account_id = a.id) as "holdsCents"
    from page a order by a.id`);
  return rows.map(({ balanceCents, heldCents, entriesCents, holdsCents, ...row }) => ({
    ...row,
    balanceCents: BigInt(balanceCents),
    heldCents: BigInt(heldCents),
    entriesCents: BigInt(entriesCents),
    holdsCents: BigInt(holdsCents),
  }));
}

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

// PostgreSQL's bigint and numeric arrive as text.
type Texts<Facts> = { [Key in keyof Facts]: Facts[Key] extends bigint ? string : Facts[Key] };
