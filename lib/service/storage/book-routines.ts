import {
  type BookableAccount,
  type Booking,
  type BookingDecision,
  decideBookings,
  type StoredAnswer,
} from "../domain/book-routines.ts";
import { type Connection, inPreparedTransaction, runPrepared } from "./prepared.ts";
import type { RoutineWithTransfer } from "./routines.ts";

/** One routine to book. `settlementDelayMs` is null for a transfer that waits for somebody's decision. */
export type NewBookRoutine = Booking & {
  routineId: string;
  transferId: string;
  name: string;
  traceId: string;
  settlementDelayMs: number | null;
  idempotency: { keyScope: string; fingerprint: Buffer; key: string } | undefined;
  /** Writes the answer's body, which is kept with the idempotency key to the byte. */
  writeBody: (routine: RoutineWithTransfer) => string;
};

/** The operation under which the keys of this table's answers are kept. */
export const bookRoutineOperation = "createBookRoutine";

/**
 * Books a set of routines in one transaction: hold, routine, transfer and stored answer of each that is granted, nothing
 * of one that is refused. The outcomes are those of running the requests one after another in their order. A request
 * whose key is being worked on by another transaction is told so and must ask again.
 */
export function insertBookRoutines(requests: NewBookRoutine[]): Promise<BookingDecision[]> {
  return inPreparedTransaction(async (connection) => {
    const keysHeldElsewhere = await lockKeys(connection, requests);
    const answers = await findAnswers(connection, requests, keysHeldElsewhere);
    const locked = await lockAccounts(connection, requests);
    const granted: GrantedRoutine[] = [];
    const decisions = decideBookings(requests, { accounts: locked.accounts, answers, keysHeldElsewhere }, (request) => {
      const routine = routineOf(request, locked.times.get(request.sourceId) ?? new Date());
      const body = request.writeBody(routine);
      granted.push({ request, routine, body });
      return body;
    });
    if (granted.length > 0) await insertGranted(connection, granted);
    return decisions;
  });
}

type GrantedRoutine = { request: NewBookRoutine; routine: RoutineWithTransfer; body: string };

/** Takes the keys without waiting, so that a neighbour is never held up by somebody else's key. Returns those not got. */
async function lockKeys(connection: Connection, requests: NewBookRoutine[]): Promise<Set<string>> {
  const scopes = new Set(requests.flatMap(({ idempotency }) => idempotency?.keyScope ?? []));
  if (scopes.size === 0) return new Set();
  const rows = await runPrepared<{ scope: string }>(connection, tryKeyLocks, [[...scopes].sort()]);
  return new Set(rows.map(({ scope }) => scope));
}

// Once the keys are ours: a statement's snapshot is as old as its start, so this one sees what their last holder stored.
async function findAnswers(connection: Connection, requests: NewBookRoutine[], keysHeldElsewhere: Set<string>) {
  const asked = requests.flatMap(({ clientId, userId, idempotency }) =>
    idempotency && !keysHeldElsewhere.has(idempotency.keyScope) ? [{ clientId, userId, ...idempotency }] : [],
  );
  const answers = new Map<string, StoredAnswer>();
  if (asked.length === 0) return answers;
  const rows = await runPrepared<StoredAnswer & { keyScope: string }>(connection, findStoredAnswers, [
    asked.map(({ keyScope }) => keyScope),
    asked.map(({ clientId }) => clientId),
    asked.map(({ userId }) => userId),
    asked.map(({ key }) => key),
  ]);
  for (const { keyScope, ...answer } of rows) answers.set(keyScope, answer);
  return answers;
}

async function lockAccounts(connection: Connection, requests: NewBookRoutine[]) {
  type Row = Omit<BookableAccount, "availableCents"> & { id: string; availableCents: string; at: Date };
  const rows = await runPrepared<Row>(connection, lockSources, [
    requests.map(({ sourceId }) => sourceId),
    requests.map(({ destinationId }) => destinationId),
  ]);
  return {
    accounts: new Map(rows.map((row) => [row.id, { ...row, availableCents: Number(row.availableCents) }])),
    times: new Map(rows.map(({ id, at }) => [id, at])),
  };
}

function routineOf(request: NewBookRoutine, at: Date): RoutineWithTransfer {
  const { routineId, transferId, name, amountCents, sourceId, destinationId } = request;
  const times = { createdAt: at, updatedAt: at };
  return { id: routineId, transferId, name, amountCents, sourceId, destinationId, status: "active", ...times };
}

async function insertGranted(connection: Connection, granted: GrantedRoutine[]): Promise<void> {
  const keyed = granted.flatMap(({ request, body }) => {
    const { clientId, userId, idempotency } = request;
    return idempotency ? [{ clientId, userId, body, ...idempotency }] : [];
  });
  const dueAt = ({ request, routine }: GrantedRoutine) =>
    request.settlementDelayMs === null ? null : new Date(routine.createdAt.getTime() + request.settlementDelayMs);
  await runPrepared(connection, insertRoutines, [
    granted.map(({ routine }) => routine.id),
    granted.map(({ routine }) => routine.transferId),
    granted.map(({ request }) => request.clientId),
    granted.map(({ request }) => request.userId),
    granted.map(({ routine }) => routine.name),
    granted.map(({ request }) => request.traceId),
    granted.map(({ routine }) => routine.sourceId),
    granted.map(({ routine }) => routine.destinationId),
    granted.map(({ routine }) => routine.amountCents),
    granted.map(({ routine }) => routine.createdAt),
    granted.map(dueAt),
    keyed.map(({ clientId }) => clientId),
    keyed.map(({ userId }) => userId),
    keyed.map(({ key }) => key),
    keyed.map(({ fingerprint }) => fingerprint),
    keyed.map(({ body }) => body),
  ]);
}

const tryKeyLocks = {
  name: "try_idempotency_key_locks",
  text: `
    select scope from unnest($1::text[]) as asked (scope)
    where not pg_try_advisory_xact_lock(hashtextextended(scope, 0))`,
};

const findStoredAnswers = {
  name: "find_stored_answers_of_book_routines",
  text: `
    select asked.scope as "keyScope", k.fingerprint, k.response_status as status, k.response_body as body
    from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as asked (scope, client_id, user_scope, key)
    join idempotency_keys k on k.client_id = asked.client_id and k.user_scope = asked.user_scope
      and k.operation = '${bookRoutineOperation}' and k.key = asked.key`,
};

// Only sources are locked, in the order of their ids: what a destination holds does not matter here, and whether it is
// open is judged once more at settlement.
const lockSources = {
  name: "lock_sources_of_book_routines",
  text: `
    with sources as (
      select * from accounts where id = any ($1::uuid[]) order by id for no key update
    ), concerned as (
      select * from sources
      union all
      select * from accounts where id = any ($2::uuid[]) and not id = any ($1::uuid[])
    )
    select a.id, a.client_id as "clientId", a.user_id as "userId", a.status = 'open' as "isOpen",
      a.balance_cents - a.held_cents as "availableCents",
      date_trunc('milliseconds', now() + c.clock_offset) as at
    from concerned a join clients c on c.id = a.client_id`,
};

const insertRoutines = {
  name: "insert_book_routines",
  text: `
    with granted as (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::uuid[],
          $8::uuid[], $9::bigint[], $10::timestamptz[], $11::timestamptz[])
        as g (routine_id, transfer_id, client_id, user_id, name, trace_id, source_id, destination_id, amount_cents,
          at, due_at)
    ), new_routines as (
      insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
      select routine_id, client_id, user_id, name, 'active', trace_id, at, at from granted
    ), new_transfers as (
      insert into transfers (id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, status,
        due_at, created_at, updated_at)
      select transfer_id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, 'pending',
        due_at, at, at from granted
    ), new_holds as (
      insert into holds (transfer_id, account_id, amount_cents)
      select transfer_id, source_id, amount_cents from granted
    ), new_keys as (
      insert into idempotency_keys (client_id, user_scope, operation, key, fingerprint, response_status, response_body)
      select client_id, user_scope, '${bookRoutineOperation}', key, fingerprint, 201, body
      from unnest($12::text[], $13::text[], $14::uuid[], $15::bytea[], $16::text[])
        as k (client_id, user_scope, key, fingerprint, body)
    )
    update accounts a set held_cents = a.held_cents + taken.cents
    from (select source_id, sum(amount_cents) as cents from granted group by source_id) taken
    where a.id = taken.source_id`,
};
