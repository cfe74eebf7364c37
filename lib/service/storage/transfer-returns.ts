import { sql } from "drizzle-orm";
import type { SettlementFailure } from "../../contract/providers.ts";
import { newId } from "../../kit/ids.ts";
import { findOrOpenFundingAccount, post } from "./accounts.ts";
import type { Db } from "./database.ts";

/** The treasury account that covers what a destination no longer has. */
export const returnLosses = "Return losses";

/** The transfer back; its routine belongs to the destination's owner. `lossCents`: what the destination no longer had. */
export type TransferReturn = { id: string; routineId: string; userId: string; traceId: string; lossCents: number };

type Returned = { amountCents: string; sourceId: string; destinationId: string; userId: string; traceId: string };

/**
 * Moves a processed transfer's money back with a transfer of its own, from destination to source, even if these accounts
 * are closed. Lock its order first.
 */
export async function insertReturn(
  tx: Db,
  { id: returnedId, clientId, reason }: { id: string; clientId: string; reason: SettlementFailure },
): Promise<TransferReturn> {
  // Before locking the accounts, because two returns may open it at the same time.
  const lossesId = await findOrOpenFundingAccount(tx, { clientId, name: returnLosses });
  const { rows } = await tx.execute<Returned>(sql`
    select t.amount_cents as "amountCents", t.source_id as "sourceId", t.destination_id as "destinationId",
      (select user_id from accounts where id = t.destination_id) as "userId",
      (select trace_id from routines where id = t.routine_id) as "traceId"
    from transfers t where t.id = ${returnedId} and t.client_id = ${clientId} and t.status = 'processed'`);
  const [returned] = rows;
  if (!returned) throw new Error("The transfer of a settled order is not processed.");
  const { sourceId, destinationId, userId, traceId } = returned;
  const amountCents = Number(returned.amountCents);

  const { rows: locked } = await tx.execute<{ id: string; availableCents: string }>(sql`
    select id, balance_cents - held_cents as "availableCents" from accounts
    where id in (${sourceId}, ${destinationId}, ${lossesId}) and client_id = ${clientId}
    order by id for no key update`);
  const available = Number(locked.find(({ id }) => id === destinationId)?.availableCents);
  const lossCents = Math.max(0, amountCents - available);
  const between = { clientId, transferId: null, fromId: lossesId, toId: destinationId };
  if (lossCents > 0) await post(tx, { ...between, postingId: newId(), amountCents: lossCents });

  const [id, routineId] = [newId(), newId()];
  // A provider may write the id in capitals.
  const name = `Return of ${returnedId.toLowerCase()}: ${reason}`;
  await tx.execute(sql`
    with moment as materialized (
      select now() + clock_offset as at from clients where id = ${clientId}
    ), new_routine as (
      insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
      select ${routineId}::uuid, ${clientId}, ${userId}::uuid, ${name}, 'completed',
        ${traceId}, at, at from moment
    )
    insert into transfers (id, routine_id, client_id, user_id, source_id, destination_id, amount_cents, status,
      created_at, updated_at)
    select ${id}::uuid, ${routineId}::uuid, ${clientId}, ${userId}::uuid, ${destinationId}::uuid, ${sourceId}::uuid,
      ${amountCents}::bigint, 'processed', at, at from moment`);
  // The posting has the transfer's id, like every transfer's.
  const back = { clientId, fromId: destinationId, toId: sourceId, amountCents };
  await post(tx, { ...back, postingId: id, transferId: id });
  return { id, routineId, userId, traceId, lossCents };
}
