import { routineStatusOfTransfer } from "../../contract/statuses.ts";
import type { TransferEnd } from "../domain/settlement.ts";
import { columnsOfDeliveries, insertAnnounced, joinClientOfAnnounced, type NewDelivery } from "./deliveries.ts";
import { type Connection, runPrepared } from "./prepared.ts";
import { finishEnded } from "./settlements.ts";

/** How a transfer ends, depending on whether its destination is open at that moment, and what is announced then. */
export type EasySettlement = {
  id: string;
  whereOpen: TransferEnd;
  whereClosed: TransferEnd;
  announcements: NewDelivery[];
};

/**
 * Ends those of these transfers that are still pending and that nobody else holds, moves the money and announces it: a
 * transaction by itself. Returns how many it ended. Waits `lockTimeoutMs` at most for their accounts, then throws, and has
 * then ended none.
 */
export async function settleInOneStatement(
  connection: Connection,
  easy: readonly EasySettlement[],
  { lockTimeoutMs }: { lockTimeoutMs: number },
): Promise<number> {
  const announced = easy.flatMap(({ id, announcements }) => announcements.map((delivery) => ({ id, delivery })));
  const [row] = await runPrepared<{ settled: number }>(connection, settle, [
    String(lockTimeoutMs),
    easy.map(({ id }) => id),
    easy.map(({ whereOpen }) => whereOpen.status),
    easy.map(({ whereOpen }) => whereOpen.failureReason),
    easy.map(({ whereOpen }) => routineStatusOfTransfer[whereOpen.status]),
    easy.map(({ whereClosed }) => whereClosed.status),
    easy.map(({ whereClosed }) => whereClosed.failureReason),
    easy.map(({ whereClosed }) => routineStatusOfTransfer[whereClosed.status]),
    announced.map(({ id }) => id),
    ...columnsOfDeliveries(announced.map(({ delivery }) => delivery)),
  ]);
  return row?.settled ?? 0;
}

// Whatever was changed between this statement's start and its locks counts as it is under the locks: PostgreSQL looks again
// whether a transfer is still pending, hands over the accounts in their newest version, and adds to that.
const settle = {
  name: "settle_in_one_statement",
  text: `
    with patience as materialized (
      -- For this statement alone, and before the first lock that it waits for.
      select set_config('lock_timeout', $1, true)
    ), due as (
      select * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        as d (transfer_id, open_status, open_reason, open_routine_status, closed_status, closed_reason,
          closed_routine_status)
    ), claimed as materialized (
      select id, source_id, destination_id from transfers
      where id = any ($2::uuid[]) and status = 'pending' for no key update skip locked
    ), locked as materialized (
      select a.id, a.status = 'open' as is_open from patience, accounts a
      where a.id = any (array(select source_id from claimed union all select destination_id from claimed))
      order by a.id for no key update of a
    ), ended as (
      select d.transfer_id,
        case when l.is_open then d.open_status else d.closed_status end as status,
        case when l.is_open then d.open_reason else d.closed_reason end as failure_reason,
        case when l.is_open then d.open_routine_status else d.closed_routine_status end as routine_status
      from due d join claimed t on t.id = d.transfer_id join locked l on l.id = t.destination_id
    ), ${finishEnded}, announced as (
      ${insertAnnounced}
      from unnest($9::uuid[], $10::uuid[], $11::text[], $12::text[], $13::uuid[], $14::text[], $15::text[])
        as d (transfer_id, id, client_id, webhook_type, resource_id, body, trace_id)
      join followed f on f.id = d.transfer_id
      ${joinClientOfAnnounced}
    )
    select count(*)::int as settled from followed`,
};
