import type { BookableAccount } from "../domain/book-routines.ts";
import type { IdempotencyKey } from "../domain/idempotency.ts";
import type { Connection } from "./database.ts";
import { runPrepared } from "./prepared.ts";
import type { RoutineWithTransfer } from "./routines.ts";

/** An account that a set of bookings concerns, with the time on its client's clock. */
export type ConcernedAccount = BookableAccount & { at: Date };

/** A routine to write with its transfer, its hold and its key. `dueInMs` is null for a transfer that waits for a decision. */
export type NewBookRoutine = {
  routine: RoutineWithTransfer;
  clientId: string;
  userId: string;
  traceId: string;
  dueInMs: number | null;
  idempotency: IdempotencyKey | undefined;
};

/**
 * Locks the source accounts of a set, in the order of their ids, and returns these and the destinations by id. Destinations
 * are not locked: what they hold does not matter, and whether they are open is judged once more at settlement.
 * `passOverHeld`: waits for no source that another transaction holds, and says so of it.
 */
export async function lockSourceAccounts(
  connection: Connection,
  orders: readonly { sourceId: string; destinationId: string }[],
  { passOverHeld }: { passOverHeld: boolean },
): Promise<Map<string, ConcernedAccount>> {
  type Row = Omit<ConcernedAccount, "availableCents"> & { id: string; availableCents: string };
  const rows = await runPrepared<Row>(connection, passOverHeld ? lockFreeSources : lockSources, [
    orders.map(({ sourceId }) => sourceId),
    orders.map(({ destinationId }) => destinationId),
  ]);
  // PostgreSQL's bigint arrives as text.
  return new Map(rows.map(({ id, ...row }) => [id, { ...row, availableCents: Number(row.availableCents) }]));
}

/** Writes routines, their transfers, holds and keys, and takes the money out of what their sources have available. */
export async function insertBookRoutines(connection: Connection, created: readonly NewBookRoutine[]): Promise<void> {
  if (created.length === 0) return;
  const keyed = created.flatMap(({ routine, idempotency }) => (idempotency ? [{ ...idempotency, ...routine }] : []));
  await runPrepared(connection, insertRoutines, [
    created.map(({ routine }) => routine.id),
    created.map(({ routine }) => routine.transferId),
    created.map(({ clientId }) => clientId),
    created.map(({ userId }) => userId),
    created.map(({ routine }) => routine.name),
    created.map(({ traceId }) => traceId),
    created.map(({ routine }) => routine.sourceId),
    created.map(({ routine }) => routine.destinationId),
    created.map(({ routine }) => routine.amountCents),
    created.map(({ routine }) => routine.createdAt),
    created.map(({ dueInMs }) => dueInMs),
    keyed.map(({ clientId }) => clientId),
    keyed.map(({ userScope }) => userScope),
    keyed.map(({ operation }) => operation),
    keyed.map(({ key }) => key),
    keyed.map(({ fingerprint }) => fingerprint),
    keyed.map(({ id }) => id),
  ]);
}

/** Routines as they were when they were created, by their ids: what a replay answers (Decision D13). */
export async function findRoutinesAsCreated(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, RoutineWithTransfer>> {
  if (ids.length === 0) return new Map();
  type Row = Omit<RoutineWithTransfer, "amountCents"> & { amountCents: string };
  const rows = await runPrepared<Row>(connection, findAsCreated, [ids]);
  return new Map(rows.map((row) => [row.id, { ...row, amountCents: Number(row.amountCents) }]));
}

/**
 * The parts of a statement that write the rows of `granted`: the routine, its transfer and its hold, and what their sources
 * have held. `granted` has a column for each fact of a routine, and `at` and `due_in_ms`.
 */
export const insertRowsOfGranted = `
    new_routines as (
      insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
      select routine_id, client_id, user_id, name, 'active', trace_id, at, at from granted
    ), new_transfers as (
      insert into transfers (id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, status,
        due_real_at, created_at, updated_at)
      select transfer_id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, 'pending',
        now() + due_in_ms * interval '1 millisecond', at, at from granted
    ), new_holds as (
      insert into holds (transfer_id, account_id, amount_cents)
      select transfer_id, source_id, amount_cents from granted
    ), taken as (
      update accounts a set held_cents = a.held_cents + wanted.cents
      from (select source_id, sum(amount_cents) as cents from granted group by source_id) wanted
      where a.id = wanted.source_id
    )`;

const lockSources = { name: "lock_sources_of_book_routines", text: lockSourcesText("") };
const lockFreeSources = { name: "lock_free_sources_of_book_routines", text: lockSourcesText("skip locked") };

function lockSourcesText(whenHeld: "" | "skip locked"): string {
  return `
    with sources as materialized (
      select * from accounts where id = any ($1::uuid[]) order by id for no key update ${whenHeld}
    ), concerned as (
      select *, false as is_held_elsewhere from sources
      union all
      select *, id = any ($1::uuid[]) from accounts
      where id = any ($1::uuid[] || $2::uuid[]) and not exists (select from sources s where s.id = accounts.id)
    )
    select a.id, a.client_id as "clientId", a.user_id as "userId", a.status = 'open' as "isOpen",
      a.is_held_elsewhere as "isHeldElsewhere", a.balance_cents - a.held_cents as "availableCents",
      date_trunc('milliseconds', now() + c.clock_offset) as at
    from concerned a join clients c on c.id = a.client_id`;
}

const insertRoutines = {
  name: "insert_book_routines",
  text: `
    with granted as (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::uuid[],
          $8::uuid[], $9::bigint[], $10::timestamptz[], $11::float8[])
        as g (routine_id, transfer_id, client_id, user_id, name, trace_id, source_id, destination_id, amount_cents,
          at, due_in_ms)
    ), new_keys as (
      insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, resource_id)
      select client_id, user_scope, operation, key, fingerprint, resource_id
      from unnest($12::text[], $13::text[], $14::text[], $15::uuid[], $16::bytea[], $17::uuid[])
        as k (client_id, user_scope, operation, key, fingerprint, resource_id)
    ), ${insertRowsOfGranted}
    select`,
};

const findAsCreated = {
  name: "find_routines_as_created",
  text: `
    select r.id, r.name, 'active' as status, t.id as "transferId", t.amount_cents as "amountCents",
      t.source_id as "sourceId", t.destination_id as "destinationId", r.created_at as "createdAt",
      r.created_at as "updatedAt"
    from routines r join transfers t on t.routine_id = r.id
    where r.id = any ($1::uuid[])`,
};
