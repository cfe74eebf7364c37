import { routineStatusOfTransfer } from "../../contract/statuses.ts";
import { type Connection, runPrepared } from "../../kit/postgres.ts";
import type { TransferEnd } from "../domain/transfers.ts";
import { timeAfterText } from "./clients.ts";
import type { RowOfClient } from "./database.ts";
import { columnsOfDeliveries, insertAnnounced, joinClientOfAnnounced, type NewDelivery } from "./deliveries.ts";
import type { transfers } from "./schema.ts";

export type PendingTransfer = { traceId: string } & Pick<
  typeof transfers.$inferSelect,
  "id" | "routineId" | "clientId" | "userId" | "amountCents"
>;

/** How a transfer ends, depending on whether its destination is open, and its webhooks. */
export type Settlement = {
  id: string;
  ifOpen: TransferEnd;
  ifClosed: TransferEnd;
  announcements: NewDelivery[];
};

/** `waits`: whether to wait for transfers and accounts that other transactions hold, or to skip them. */
export type SettlementOptions = { waits: "for all" | "for accounts" | "for none"; lockTimeoutMs: number };

/** Due transfers that aren't quarantined, oldest first. Locks nothing. */
export function findDueTransfers(connection: Connection, limit: number): Promise<PendingTransfer[]> {
  return findPending(connection, findDue, [limit]);
}

export async function findPendingTransfer(
  connection: Connection,
  { id, clientId }: RowOfClient,
): Promise<PendingTransfer | undefined> {
  const [transfer] = await findPending(connection, findOne, [id, clientId]);
  return transfer;
}

export async function isTransferEnded(connection: Connection, id: string): Promise<boolean> {
  const [row] = await runPrepared<{ isEnded: boolean }>(connection, lockEnd, [id]);
  return row?.isEnded ?? false;
}

/**
 * Ends the given transfers that are still pending, in one statement, its own transaction: releases the hold, posts
 * the entries and balances of processed ones, updates the routine and adds the webhooks. Returns the ids of ended
 * transfers, and of those whose accounts other transactions hold.
 */
export async function settleTransfers(
  connection: Connection,
  settlements: readonly Settlement[],
  { waits, lockTimeoutMs }: SettlementOptions,
): Promise<{ settled: string[]; held: string[] }> {
  const announced = settlements.flatMap(({ id, announcements }) => announcements.map((delivery) => ({ id, delivery })));
  const rows = await runPrepared<{ id: string; isSettled: boolean }>(connection, settle[waits], [
    String(lockTimeoutMs),
    settlements.map(({ id }) => id),
    settlements.map(({ ifOpen }) => ifOpen.status),
    settlements.map(({ ifOpen }) => ifOpen.failureReason),
    settlements.map(({ ifOpen }) => routineStatusOfTransfer[ifOpen.status]),
    settlements.map(({ ifClosed }) => ifClosed.status),
    settlements.map(({ ifClosed }) => ifClosed.failureReason),
    settlements.map(({ ifClosed }) => routineStatusOfTransfer[ifClosed.status]),
    announced.map(({ id }) => id),
    ...columnsOfDeliveries(announced.map(({ delivery }) => delivery)),
  ]);
  const idsOf = (isSettled: boolean) => rows.filter((row) => row.isSettled === isSettled).map(({ id }) => id);
  return { settled: idsOf(true), held: idsOf(false) };
}

/** Milliseconds until the next transfer is due; undefined if none is scheduled. */
export async function findTimeToNextTransfer(connection: Connection): Promise<number | undefined> {
  const [row] = await runPrepared<{ ms: number | null }>(connection, timeToNext, []);
  return row?.ms === null || row?.ms === undefined ? undefined : Math.max(0, Math.ceil(row.ms));
}

/** How many seconds late the oldest due transfer is; 0 without one. */
export async function findOldestDueTransfer(connection: Connection): Promise<number> {
  const [row] = await runPrepared<{ seconds: number }>(connection, oldestDue, []);
  return row?.seconds ?? 0;
}

async function findPending(
  connection: Connection,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<PendingTransfer[]> {
  type Row = Omit<PendingTransfer, "amountCents"> & { amountCents: string };
  const rows = await runPrepared<Row>(connection, statement, values);
  return rows.map((row) => ({ ...row, amountCents: Number(row.amountCents) }));
}

const isNotQuarantined = `not exists (
  select from quarantine q where q.kind = 'transfer' and q.id = t.id::text and q.retry_real_at > now())`;

const findDue = {
  name: "find_due_transfers",
  text: pendingText(`
      select * from transfers t
      where t.status = 'pending' and t.due_real_at <= now() and ${isNotQuarantined}
      order by t.due_real_at limit $1`),
};

// Includes quarantined transfers: their money doesn't move either.
const oldestDue = {
  name: "find_oldest_due_transfer",
  text: `
    select extract(epoch from now() - due_real_at)::float8 as seconds from transfers
    where status = 'pending' and due_real_at <= now() order by due_real_at limit 1`,
};

const findOne = {
  name: "find_pending_transfer",
  text: pendingText("select * from transfers where id = $1 and client_id = $2 and status = 'pending'"),
};

const lockEnd = {
  name: "lock_end_of_transfer",
  text: `select status <> 'pending' as "isEnded" from transfers where id = $1 for key share`,
};

function pendingText(transfers: string): string {
  return `
    select t.id, t.routine_id as "routineId", t.client_id as "clientId", r.user_id as "userId",
      r.trace_id as "traceId", t.amount_cents as "amountCents"
    from (${transfers}) t join routines r on r.id = t.routine_id`;
}

const settle = {
  "for all": { name: "settle_waiting_in_one_statement", text: settleText("", "") },
  "for accounts": { name: "settle_in_one_statement", text: settleText("skip locked", "") },
  "for none": { name: "settle_unlocked_in_one_statement", text: settleText("skip locked", "skip locked") },
};

// Concurrent changes are safe: PostgreSQL rechecks that a locked transfer is pending, and returns locked accounts in
// their newest version.
function settleText(whenTransferHeld: string, whenAccountHeld: string): string {
  return `
    with timeout as materialized (
      -- For this statement alone, and before the first lock that it waits for.
      select set_config('lock_timeout', $1, true)
    ), due as (
      select * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        as d (transfer_id, open_status, open_reason, open_routine_status, closed_status, closed_reason,
          closed_routine_status)
    ), claimed as materialized (
      select t.id, t.source_id, t.destination_id from timeout, transfers t
      where t.id = any ($2::uuid[]) and t.status = 'pending' order by t.id for no key update of t ${whenTransferHeld}
    ), locked as materialized (
      select a.id, a.status = 'open' as is_open from accounts a
      where a.id = any (array(select source_id from claimed union all select destination_id from claimed))
      order by a.id for no key update of a ${whenAccountHeld}
    ), ended as (
      select d.transfer_id,
        case when l.is_open then d.open_status else d.closed_status end as status,
        case when l.is_open then d.open_reason else d.closed_reason end as failure_reason,
        case when l.is_open then d.open_routine_status else d.closed_routine_status end as routine_status
      from due d join claimed t on t.id = d.transfer_id join locked l on l.id = t.destination_id
      where t.source_id in (select id from locked)
    ), finished as (
      update transfers t
      set status = e.status, failure_reason = e.failure_reason,
        updated_at = greatest(t.updated_at, ${timeAfterText("c.clock_offset")})
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
    ), announced as (
      ${insertAnnounced}
      from unnest($9::uuid[], $10::uuid[], $11::text[], $12::text[], $13::uuid[], $14::text[], $15::text[])
        as d (transfer_id, id, client_id, webhook_type, resource_id, body, trace_id)
      join followed f on f.id = d.transfer_id
      ${joinClientOfAnnounced}
    )
    select c.id, f.id is not null as "isSettled" from claimed c left join followed f on f.id = c.id`;
}

const timeToNext = {
  name: "time_to_next_transfer",
  text: `
    select extract(epoch from t.due_real_at - now())::float8 * 1000 as ms from transfers t
    where t.status = 'pending' and t.due_real_at is not null and ${isNotQuarantined}
    order by t.due_real_at limit 1`,
};
