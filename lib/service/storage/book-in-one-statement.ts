import type { IdempotencyKey } from "../domain/idempotency.ts";
import { nameOfKey } from "../domain/idempotency.ts";
import { insertRowsOfGranted } from "./book-routines.ts";
import type { Connection } from "./database.ts";
import { runPrepared } from "./prepared.ts";

/** A routine to book if that is easy. `wantedOfSourceCents`: what its source must have available, its neighbours included. */
export type EasyBookRoutine = {
  routineId: string;
  transferId: string;
  clientId: string;
  userId: string;
  name: string;
  traceId: string;
  sourceId: string;
  destinationId: string;
  amountCents: number;
  wantedOfSourceCents: number;
  /** Milliseconds until the transfer falls due; null for one that waits for a decision. */
  dueInMs: number | null;
  idempotency: IdempotencyKey | undefined;
};

/**
 * Takes keys, locks sources in the order of their ids, and writes each routine with its transfer, hold and key whose key is
 * free, whose accounts it may use, and whose source covers what is wanted of it: a transaction by itself. Returns when each of
 * those was created, by routine id; of the others there is no trace.
 */
export async function bookInOneStatement(
  connection: Connection,
  easy: readonly EasyBookRoutine[],
  { passOverHeld, lockTimeoutMs }: { passOverHeld: boolean; lockTimeoutMs: number },
): Promise<Map<string, Date>> {
  const rows = await runPrepared<{ routineId: string; at: Date }>(connection, passOverHeld ? bookFree : book, [
    String(lockTimeoutMs),
    easy.map(({ routineId }) => routineId),
    easy.map(({ transferId }) => transferId),
    easy.map(({ clientId }) => clientId),
    easy.map(({ userId }) => userId),
    easy.map(({ name }) => name),
    easy.map(({ traceId }) => traceId),
    easy.map(({ sourceId }) => sourceId),
    easy.map(({ destinationId }) => destinationId),
    easy.map(({ amountCents }) => amountCents),
    easy.map(({ wantedOfSourceCents }) => wantedOfSourceCents),
    easy.map(({ dueInMs }) => dueInMs),
    easy.map(({ idempotency }) => idempotency?.userScope),
    easy.map(({ idempotency }) => idempotency?.operation),
    easy.map(({ idempotency }) => idempotency?.key),
    easy.map(({ idempotency }) => idempotency?.fingerprint),
    easy.map(({ idempotency }) => (idempotency ? nameOfKey(idempotency) : null)),
  ]);
  return new Map(rows.map(({ routineId, at }) => [routineId, at]));
}

const book = { name: "book_in_one_statement", text: bookText("") };
const bookFree = { name: "book_free_in_one_statement", text: bookText("skip locked") };

// The snapshot of a statement is as old as its start, and it may wait for its locks. So what counts is read from what cannot
// be old: the locked rows themselves, which PostgreSQL hands over in their newest version, and the primary key of the
// idempotency keys, which sees what a snapshot does not. The lock on a key's name is the one that the careful way takes too
// (`lockIdempotencyKeys`): whoever has it not is left out and keeps no neighbour waiting.
function bookText(whenHeld: "" | "skip locked"): string {
  return `
    with patience as materialized (
      -- For this statement alone, and before the first lock.
      select set_config('lock_timeout', $1, true)
    ), asked as materialized (
      select *, key is null or pg_try_advisory_xact_lock(hashtextextended(key_name, 0)) as is_key_free
      from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[],
          $10::bigint[], $11::bigint[], $12::float8[], $13::text[], $14::text[], $15::uuid[], $16::bytea[], $17::text[])
        as a (routine_id, transfer_id, client_id, user_id, name, trace_id, source_id, destination_id, amount_cents,
          wanted_of_source_cents, due_in_ms, user_scope, operation, key, fingerprint, key_name)
    ), sources as materialized (
      select a.id, a.client_id, a.user_id, a.balance_cents - a.held_cents as available_cents
      from patience, accounts a
      where a.id = any (array(select source_id from asked where is_key_free)) and a.status = 'open'
      order by a.id for no key update of a ${whenHeld}
    ), fitting as materialized (
      select asked.*, moment.at
      from asked
      join sources s on s.id = asked.source_id and s.client_id = asked.client_id and s.user_id = asked.user_id
        and s.available_cents >= asked.wanted_of_source_cents
      join accounts d on d.id = asked.destination_id and d.client_id = asked.client_id and d.user_id is not null
        and d.status = 'open'
      join clients c on c.id = asked.client_id
      cross join lateral (select date_trunc('milliseconds', now() + c.clock_offset) as at) moment
      where asked.is_key_free
    ), new_keys as (
      insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, resource_id)
      select client_id, user_scope, operation, key, fingerprint, routine_id from fitting where key is not null
      on conflict do nothing
      returning resource_id
    ), granted as materialized (
      select * from fitting where key is null or routine_id in (select resource_id from new_keys)
    ), ${insertRowsOfGranted}
    select routine_id as "routineId", at from granted`;
}
