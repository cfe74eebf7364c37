import { runPrepared } from "../../kit/postgres.ts";
import { nameOfKey } from "../domain/idempotency.ts";
import type { BookableAccount, Booking } from "../domain/transfers.ts";
import type { Connection } from "./database.ts";
import type { RoutineWithTransfer } from "./routines.ts";

export type NewBookRoutine = Booking & {
  transferId: string;
  name: string;
  traceId: string;
  /** What its source must have available: the total of the set. */
  totalRequestedCents: number;
  /** Null for a transfer that an operator decides. */
  dueInMs: number | null;
};

/** `at` is null for a skipped routine. */
export type BookedRoutine = { at: Date | null; isKeyFree: boolean; isSourceLocked: boolean };

/**
 * Books a set in one statement, its own transaction. Takes the keys, locks the sources in id order, and writes routine,
 * transfer, hold and key of each request with a free key, usable accounts, and a source that covers
 * `totalRequestedCents`. Returns the results by routine id. `skipLocked` skips locked sources.
 */
export async function bookRoutines(
  connection: Connection,
  routines: readonly NewBookRoutine[],
  { skipLocked, lockTimeoutMs }: { skipLocked: boolean; lockTimeoutMs: number },
): Promise<Map<string, BookedRoutine>> {
  const rows = await runPrepared<BookedRoutine & { routineId: string }>(connection, skipLocked ? bookUnlocked : book, [
    String(lockTimeoutMs),
    routines.map(({ routineId }) => routineId),
    routines.map(({ transferId }) => transferId),
    routines.map(({ clientId }) => clientId),
    routines.map(({ userId }) => userId),
    routines.map(({ name }) => name),
    routines.map(({ traceId }) => traceId),
    routines.map(({ sourceId }) => sourceId),
    routines.map(({ destinationId }) => destinationId),
    routines.map(({ amountCents }) => amountCents),
    routines.map(({ totalRequestedCents }) => totalRequestedCents),
    routines.map(({ dueInMs }) => dueInMs),
    routines.map(({ idempotency }) => idempotency?.userScope),
    routines.map(({ idempotency }) => idempotency?.operation),
    routines.map(({ idempotency }) => idempotency?.key),
    routines.map(({ idempotency }) => idempotency?.fingerprint),
    routines.map(({ idempotency }) => (idempotency ? nameOfKey(idempotency) : null)),
  ]);
  return new Map(rows.map(({ routineId, ...booked }) => [routineId, booked]));
}

export async function findBookableAccounts(
  connection: Connection,
  requests: readonly { sourceId: string; destinationId: string }[],
): Promise<Map<string, BookableAccount>> {
  type Row = Omit<BookableAccount, "availableCents"> & { id: string; availableCents: string };
  const ids = requests.flatMap(({ sourceId, destinationId }) => [sourceId, destinationId]);
  const rows = await runPrepared<Row>(connection, findAccounts, [ids]);
  return new Map(rows.map(({ id, ...row }) => [id, { ...row, availableCents: Number(row.availableCents) }]));
}

/** Routines as they were created, by id, for replays (Decision D13). */
export async function findRoutinesAsCreated(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, RoutineWithTransfer>> {
  if (ids.length === 0) return new Map();
  type Row = Omit<RoutineWithTransfer, "amountCents"> & { amountCents: string };
  const rows = await runPrepared<Row>(connection, findAsCreated, [ids]);
  return new Map(rows.map((row) => [row.id, { ...row, amountCents: Number(row.amountCents) }]));
}

/** Reads back `bookRoutines` after a lost answer, and locks the rows. */
export async function lockRoutinesAsCreated(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, BookedRoutine>> {
  const rows = await runPrepared<{ id: string; at: Date }>(connection, lockCreated, [ids]);
  return new Map(rows.map(({ id, at }) => [id, { at, isKeyFree: true, isSourceLocked: true }]));
}

const book = { name: "book_in_one_statement", text: bookText("") };
const bookUnlocked = { name: "book_unlocked_in_one_statement", text: bookText("skip locked") };

// The statement's snapshot may be stale after waiting for locks. So it relies only on locked rows, which are returned in
// their newest version, and on the primary key of idempotency_keys. `lockIdempotencyKeys` takes the same lock; requests
// that don't get it are skipped.
function bookText(whenHeld: "" | "skip locked"): string {
  return `
    with timeout as materialized (
      -- For this statement alone, and before the first lock.
      select set_config('lock_timeout', $1, true)
    ), requested as materialized (
      select *, key is null or pg_try_advisory_xact_lock(hashtextextended(key_name, 0)) as is_key_free
      from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[],
          $10::bigint[], $11::bigint[], $12::float8[], $13::text[], $14::text[], $15::uuid[], $16::bytea[], $17::text[])
        as a (routine_id, transfer_id, client_id, user_id, name, trace_id, source_id, destination_id, amount_cents,
          total_requested_cents, due_in_ms, user_scope, operation, key, fingerprint, key_name)
    ), sources as materialized (
      select a.id, a.client_id, a.user_id, a.status, a.balance_cents - a.held_cents as available_cents
      from timeout, accounts a
      where a.id = any (array(select source_id from requested where is_key_free))
      order by a.id for no key update of a ${whenHeld}
    ), destinations as materialized (
      -- By id: a join on the client as well may read every account of the client.
      select id, client_id from accounts
      where id = any (array(select destination_id from requested where is_key_free)) and user_id is not null
        and status = 'open'
    ), eligible as materialized (
      select requested.*, moment.at
      from requested
      join sources s on s.id = requested.source_id and s.client_id = requested.client_id and s.user_id = requested.user_id
        and s.status = 'open' and s.available_cents >= requested.total_requested_cents
      join destinations d on d.id = requested.destination_id and d.client_id = requested.client_id
      join clients c on c.id = requested.client_id
      cross join lateral (select date_trunc('milliseconds', now() + c.clock_offset) as at) moment
      where requested.is_key_free
    ), new_keys as (
      insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, resource_id)
      select client_id, user_scope, operation, key, fingerprint, routine_id from eligible where key is not null
      on conflict do nothing
      returning resource_id
    ), granted as materialized (
      select * from eligible where key is null or routine_id in (select resource_id from new_keys)
    ), new_routines as (
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
      update accounts a set held_cents = a.held_cents + total.cents
      from (select source_id, sum(amount_cents) as cents from granted group by source_id) total
      where a.id = total.source_id
    )
    select requested.routine_id as "routineId", granted.at, requested.is_key_free as "isKeyFree",
      s.id is not null as "isSourceLocked"
    from requested left join granted using (routine_id) left join sources s on s.id = requested.source_id`;
}

const findAccounts = {
  name: "find_bookable_accounts",
  text: `
    select id, client_id as "clientId", user_id as "userId", status = 'open' as "isOpen",
      balance_cents - held_cents as "availableCents"
    from accounts where id = any ($1::uuid[])`,
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

const lockCreated = {
  name: "lock_routines_as_created",
  text: "select id, created_at as at from routines where id = any ($1::uuid[]) for key share",
};
