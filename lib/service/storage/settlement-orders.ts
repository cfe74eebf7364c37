import { sql } from "drizzle-orm";
import type { SettlementOrder } from "../../contract/providers.ts";
import type { SettlementOrderState } from "../domain/settlement-orders.ts";
import { timeAfter } from "./clients.ts";
import type { Db, RowOfClient } from "./database.ts";

/**
 * Opens an order for each of these transfers that's still due and that no other process holds. Returns all of those, but a
 * transfer whose destination is closed gets no order.
 */
export async function openSettlementOrders(
  db: Db,
  transferIds: string[],
): Promise<{ transferId: string; isOpened: boolean }[]> {
  const { rows } = await db.execute<{ transferId: string; isOpened: boolean }>(sql`
    with claimed as materialized (
      select id, client_id, destination_id from transfers
      where id = any (${sql.param(transferIds)}::uuid[]) and status = 'pending' and due_real_at <= now()
      order by id for no key update skip locked
    ), destinations as materialized (
      select id from accounts where id = any (array(select destination_id from claimed)) and status = 'open'
    ), opened as (
      insert into settlement_orders (transfer_id, client_id, due_real_at, ordered_real_at)
      select id, client_id, now(), now() from claimed where destination_id in (select id from destinations)
      returning transfer_id
    ), no_longer_due as (
      update transfers set due_real_at = null where id = any (array(select transfer_id from opened))
    )
    select c.id as "transferId", o.transfer_id is not null as "isOpened"
    from claimed c left join opened o on o.transfer_id = c.id`);
  return rows;
}

/** An order to ask about, plus the provider's reference. */
export type DueSettlementOrder = SettlementOrder & { reference: string | null };

/**
 * Leases due orders that aren't quarantined, so that no other process asks about them; open ones before polls for returns. If a
 * process outlives its lease, two may ask, and the first result counts.
 */
export async function claimDueSettlementOrders(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueSettlementOrder[]> {
  type Row = Omit<DueSettlementOrder, "amountCents"> & { amountCents: string };
  const { rows } = await db.execute<Row>(sql`
    with open as materialized (
      select o.transfer_id from settlement_orders o
      where o.state = 'open' and o.due_real_at <= now() and ${isFree} and ${isNotQuarantined}
      order by o.due_real_at limit ${limit} for no key update of o skip locked
    ), ended as materialized (
      select o.transfer_id from settlement_orders o
      where o.state <> 'open' and o.due_real_at <= now() and ${isFree} and ${isNotQuarantined}
      order by o.due_real_at limit ${limit} - (select count(*) from open) for no key update of o skip locked
    ), leased as (
      update settlement_orders o set leased_until_real_at = now() + make_interval(secs => ${leaseMs / 1000}::float8)
      where o.transfer_id = any (array(select transfer_id from open union all select transfer_id from ended))
      returning o.transfer_id, o.client_id, o.reference
    )
    select l.transfer_id as id, l.client_id as "clientId", l.reference, t.amount_cents as "amountCents",
      ${accountOf("source")}, ${accountOf("destination")}
    from leased l
      join transfers t on t.id = l.transfer_id
      join accounts source on source.id = t.source_id
      join users source_user on source_user.id = source.user_id
      join accounts destination on destination.id = t.destination_id
      join users destination_user on destination_user.id = destination.user_id`);
  return rows.map((row) => ({ ...row, amountCents: Number(row.amountCents) }));
}

function accountOf(side: "source" | "destination") {
  const [account, user] = [sql.identifier(side), sql.identifier(`${side}_user`)];
  return sql`jsonb_build_object('id', ${account}.id, 'userId', ${account}.user_id,
    'holder', ${user}.first_name || ' ' || ${user}.last_name, 'type', ${account}.type, 'mask', ${account}.mask)
    as ${account}`;
}

export async function releaseSettlementOrder(db: Db, transferId: string): Promise<void> {
  await db.execute(sql`update settlement_orders set leased_until_real_at = null where transfer_id = ${transferId}`);
}

/** The provider settles this locked order later: ask again after 30 s, doubling up to an hour. */
export async function postponeSettlementOrder(
  db: Db,
  { id, clientId, reference }: { id: string; clientId: string; reference: string },
): Promise<void> {
  await db.execute(sql`
    with postponed as (
      update settlement_orders set reference = ${reference}, polls = least(polls + 1, 1000),
        due_real_at = ${timeAfter(sql`least(interval '1 hour', interval '30 seconds' * power(2, least(polls, 20)))`)}
      where transfer_id = ${id} and client_id = ${clientId}
      returning transfer_id
    )
    delete from quarantine q using postponed p where q.kind = 'settlement_order' and q.id = p.transfer_id::text`);
}

/** Lock order: before its transfer. */
export async function lockSettlementOrder(
  tx: Db,
  id: string,
): Promise<{ clientId: string; state: SettlementOrderState } | undefined> {
  const { rows } = await tx.execute<{ clientId: string; state: SettlementOrderState }>(sql`
    select client_id as "clientId", state from settlement_orders where transfer_id = ${id} for no key update`);
  return rows[0];
}

type EndOfOrder = {
  state: Exclude<SettlementOrderState, "open">;
  returnTransferId?: string;
  /** Poll for a return once a day, for this many days. */
  returns?: { reference: string; days: number } | undefined;
};

/** Ends a locked order. Without `returns`, the provider isn't asked again. */
export async function endSettlementOrder(
  tx: Db,
  { id, clientId, state, returnTransferId, returns }: RowOfClient & EndOfOrder,
): Promise<void> {
  await tx.execute(sql`
    with ended as (
      update settlement_orders set state = ${state}, return_transfer_id = ${returnTransferId ?? null}::uuid,
        reference = coalesce(${returns?.reference ?? null}, reference),
        due_real_at = now() + case when ${returns !== undefined}::boolean then interval '1 day' end,
        returns_until_real_at = now() + make_interval(days => ${returns?.days ?? null}::int)
      where transfer_id = ${id} and client_id = ${clientId}
      returning transfer_id
    )
    delete from quarantine q using ended e where q.kind = 'settlement_order' and q.id = e.transfer_id::text`);
}

/** Schedules the next poll of a locked settled order for a return, if it was due and its days aren't over. */
export async function postponeReturnPoll(tx: Db, { id, clientId }: RowOfClient): Promise<void> {
  await tx.execute(sql`
    with postponed as (
      update settlement_orders set polls = least(polls + 1, 1000),
        due_real_at = case when returns_until_real_at > now() + interval '12 hours' then now() + interval '1 day' end
      where transfer_id = ${id} and client_id = ${clientId} and due_real_at <= now()
      returning transfer_id
    )
    delete from quarantine q using postponed p where q.kind = 'settlement_order' and q.id = p.transfer_id::text`);
}

/** Stores a contradicting result for an operator. An ended order has one possible contradiction. */
export async function recordContradiction(tx: Db, { id, clientId }: RowOfClient, contradiction: string): Promise<void> {
  await tx.execute(sql`
    update settlement_orders set contradiction = ${contradiction}
    where transfer_id = ${id} and client_id = ${clientId}`);
}

/** Stores a result that names no order for an operator, once. */
export async function recordUnknownResult(
  tx: Db,
  { id, kind, reason }: { id: string; kind: string; reason: string | null },
): Promise<void> {
  await tx.execute(sql`
    insert into unknown_settlement_results (transfer_id, kind, reason, received_real_at)
    values (${id}, ${kind}, ${reason}, now()) on conflict do nothing`);
}

/** Whether the provider is yet to be asked about an order: an open one, or a settled one whose money may come back. */
export async function hasUnfinishedSettlementOrders(db: Db): Promise<boolean> {
  const { rows } = await db.execute(sql`select from settlement_orders where due_real_at is not null limit 1`);
  return rows.length > 0;
}

/** At least 0; undefined if there's none. */
export async function findNextSettlementOrderMs(db: Db): Promise<number | undefined> {
  const { rows } = await db.execute<{ waitMs: number }>(sql`
    select greatest(0, extract(epoch from o.due_real_at - now()) * 1000)::float8 as "waitMs"
    from settlement_orders o where o.due_real_at is not null and ${isFree} and ${isNotQuarantined}
    order by o.due_real_at limit 1`);
  return rows[0]?.waitMs;
}

/** The age of the oldest open order, and how late the oldest due one is, in seconds; 0 without one. */
export async function findOldestSettlementOrders(db: Db): Promise<{ openSeconds: number; lateSeconds: number }> {
  const { rows } = await db.execute<{ openSeconds: number; lateSeconds: number }>(sql`
    select coalesce(extract(epoch from now() - (
        select ordered_real_at from settlement_orders
        where state = 'open' and ordered_real_at > '-infinity' order by ordered_real_at limit 1
      )), 0)::float8 as "openSeconds",
      coalesce(extract(epoch from now() - (
        select due_real_at from settlement_orders where due_real_at <= now() order by due_real_at limit 1
      )), 0)::float8 as "lateSeconds"`);
  return rows[0] ?? { openSeconds: 0, lateSeconds: 0 };
}

const isFree = sql`(o.leased_until_real_at is null or o.leased_until_real_at <= now())`;

const isNotQuarantined = sql`not exists (
  select from quarantine q where q.kind = 'settlement_order' and q.id = o.transfer_id::text and q.retry_real_at > now())`;
