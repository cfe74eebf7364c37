import { routineStatusOfTransfer } from "../../contract/statuses.ts";
import type { TransferEnd } from "../domain/settlement.ts";
import { type Connection, type PreparedStatement, runPrepared } from "./prepared.ts";

/** A pending transfer that nobody else can finish before this transaction ends. */
export type LockedTransfer = {
  id: string;
  sourceId: string;
  destinationId: string;
  amountCents: number;
};

/** A transfer that has just ended, with what its announcements need. */
export type FinishedTransfer = { id: string; routineId: string; clientId: string; userId: string; traceId: string };

/** A transfer as it was made: what its end depends on, and what its announcements need. */
export type DueTransfer = FinishedTransfer & { amountCents: number };

/** Pending transfers that are due and not set aside, the longest waiting first, at most `limit`; nothing is locked. */
export async function findDueTransfers(connection: Connection, limit: number): Promise<DueTransfer[]> {
  type Row = Omit<DueTransfer, "amountCents"> & { amountCents: string };
  const rows = await runPrepared<Row>(connection, findDue, [limit]);
  return rows.map((row) => ({ ...row, amountCents: Number(row.amountCents) }));
}

/**
 * Locks pending transfers that are due and not set aside, the longest waiting first, at most `limit`; those that others hold
 * are left to them.
 */
export async function claimDueTransfers(connection: Connection, limit: number): Promise<LockedTransfer[]> {
  return lockedTransfers(await runPrepared(connection, claimDue, [limit]));
}

/** Locks one transfer of this client if it is still pending; waits for whoever is finishing it. */
export async function lockPendingTransfer(
  connection: Connection,
  { id, clientId }: { id: string; clientId: string },
): Promise<LockedTransfer | undefined> {
  return lockedTransfers(await runPrepared(connection, lockPending, [id, clientId]))[0];
}

/** The accounts that a transaction has locked, by their ids, and whether each is open. */
export type LockedAccounts = Map<string, { isOpen: boolean }>;

/** Locks every account that these transfers touch, in the order of their ids. */
export function lockAccountsOf(connection: Connection, transfers: LockedTransfer[]): Promise<LockedAccounts> {
  return lockAccounts(connection, lockAllAccounts, transfers);
}

/** The same without waiting: those that others hold at this moment are left out. */
export function lockFreeAccountsOf(connection: Connection, transfers: LockedTransfer[]): Promise<LockedAccounts> {
  return lockAccounts(connection, lockFreeAccounts, transfers);
}

/**
 * Ends a set of transfers by one statement that finds each still pending: the hold goes, a processed one posts its two
 * entries and moves the balances, the routine follows. Returns those that it ended. Their accounts must be locked.
 */
export function finishTransfers(
  connection: Connection,
  ends: (TransferEnd & { id: string })[],
): Promise<FinishedTransfer[]> {
  return runPrepared(connection, finish, [
    ends.map(({ id }) => id),
    ends.map(({ status }) => status),
    ends.map(({ failureReason }) => failureReason),
    ends.map(({ status }) => routineStatusOfTransfer[status]),
  ]);
}

/** Milliseconds until the next transfer falls due that is not set aside, 0 when one is overdue, undefined when none is scheduled. */
export async function findTimeToNextTransfer(connection: Connection): Promise<number | undefined> {
  const [row] = await runPrepared<{ ms: number | null }>(connection, timeToNext, []);
  return row?.ms === null || row?.ms === undefined ? undefined : Math.max(0, Math.ceil(row.ms));
}

async function lockAccounts(
  connection: Connection,
  statement: PreparedStatement,
  transfers: LockedTransfer[],
): Promise<LockedAccounts> {
  const ids = transfers.flatMap(({ sourceId, destinationId }) => [sourceId, destinationId]);
  const rows = await runPrepared<{ id: string; isOpen: boolean }>(connection, statement, [ids]);
  return new Map(rows.map(({ id, isOpen }) => [id, { isOpen }]));
}

// PostgreSQL's bigint arrives as text.
function lockedTransfers(rows: (Omit<LockedTransfer, "amountCents"> & { amountCents: string })[]): LockedTransfer[] {
  return rows.map((row) => ({ ...row, amountCents: Number(row.amountCents) }));
}

const isNotSetAside = `not exists (
  select from quarantine q where q.kind = 'transfer' and q.id = t.id::text and q.retry_real_at > now())`;

const findDue = {
  name: "find_due_transfers",
  text: `
    select due.id, due.routine_id as "routineId", due.client_id as "clientId", r.user_id as "userId",
      r.trace_id as "traceId", due.amount_cents as "amountCents"
    from (${dueText("")}) due join routines r on r.id = due.routine_id`,
};

const claimDue = {
  name: "claim_due_transfers",
  text: `
    select due.id, due.source_id as "sourceId", due.destination_id as "destinationId", due.amount_cents as "amountCents"
    from (${dueText("for no key update of t skip locked")}) due`,
};

function dueText(lock: string): string {
  return `
    select t.id, t.routine_id, t.client_id, t.source_id, t.destination_id, t.amount_cents
    from transfers t
    where t.status = 'pending' and t.due_real_at <= now() and ${isNotSetAside}
    order by t.due_real_at limit $1 ${lock}`;
}

const lockPending = {
  name: "lock_pending_transfer",
  text: `
    select id, source_id as "sourceId", destination_id as "destinationId", amount_cents as "amountCents"
    from transfers where id = $1 and client_id = $2 and status = 'pending' for no key update`,
};

const lockAllAccounts = {
  name: "lock_accounts_of_transfers",
  text: `
    select id, status = 'open' as "isOpen" from accounts where id = any ($1::uuid[]) order by id for no key update`,
};

const lockFreeAccounts = {
  name: "lock_free_accounts_of_transfers",
  text: `
    select id, status = 'open' as "isOpen" from accounts
    where id = any ($1::uuid[]) order by id for no key update skip locked`,
};

/**
 * The parts of a statement that end the transfers of `ended` (transfer_id, status, failure_reason, routine_status), each if it
 * is still pending. `followed` then has what their announcements need.
 */
export const finishEnded = `
    finished as (
      update transfers t
      set status = e.status, failure_reason = e.failure_reason, updated_at = now() + c.clock_offset
      from ended e, clients c
      where t.id = e.transfer_id and t.status = 'pending' and c.id = t.client_id
      returning t.id, t.routine_id, t.source_id, t.destination_id, t.amount_cents, t.status, t.updated_at,
        e.routine_status
    ), followed as (
      update routines r set status = f.routine_status, updated_at = f.updated_at
      from finished f where r.id = f.routine_id
      returning f.id, r.id as routine_id, r.client_id, r.user_id, r.trace_id
    ), released as (
      delete from holds h using finished f where h.transfer_id = f.id returning h.account_id, h.amount_cents
    ), no_longer_set_aside as (
      delete from quarantine q using finished f where q.kind = 'transfer' and q.id = f.id::text
    ), movements as (
      select id, source_id as account_id, -amount_cents as cents, updated_at from finished where status = 'processed'
      union all
      select id, destination_id, amount_cents, updated_at from finished where status = 'processed'
    ), posted as (
      -- The posting bears the transfer's id, so that a second one for it cannot exist.
      insert into entries (posting_id, account_id, transfer_id, amount_cents, created_at)
      select id, account_id, id, cents, updated_at from movements
    ), changes as (
      select account_id, sum(cents) as cents, sum(released_cents) as released_cents
      from (
        select account_id, cents, 0 as released_cents from movements
        union all
        select account_id, 0, amount_cents from released
      ) change
      group by account_id
    ), balanced as (
      update accounts a set balance_cents = a.balance_cents + c.cents, held_cents = a.held_cents - c.released_cents
      from changes c where a.id = c.account_id
    )`;

const finish = {
  name: "finish_transfers",
  text: `
    with ended as (
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
        as e (transfer_id, status, failure_reason, routine_status)
    ), ${finishEnded}
    select id, routine_id as "routineId", client_id as "clientId", user_id as "userId", trace_id as "traceId"
    from followed`,
};

const timeToNext = {
  name: "time_to_next_transfer",
  text: `
    select extract(epoch from t.due_real_at - now())::float8 * 1000 as ms from transfers t
    where t.status = 'pending' and t.due_real_at is not null and ${isNotSetAside}
    order by t.due_real_at limit 1`,
};
