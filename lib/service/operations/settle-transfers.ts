import { serviceConfig } from "../config.ts";
import { endByHand, endOfDueTransfer, type TransferEnd } from "../domain/settlement.ts";
import { type Db, servicePool } from "../storage/database.ts";
import { insertDeliveries } from "../storage/deliveries.ts";
import { type Connection, inPreparedTransaction } from "../storage/prepared.ts";
import {
  claimDueTransfers,
  type FinishedTransfer,
  findTimeToNextTransfer,
  finishTransfers,
  type LockedTransfer,
  lockAccountsOf,
  lockPendingTransfer,
} from "../storage/settlements.ts";

// As many as one statement takes without holding the accounts' locks for long.
const batchMax = 256;

/**
 * Settles what is due, batch by batch until nothing is left. Returns the milliseconds until the next transfer falls due,
 * undefined when none is scheduled. Several processes may do this at once: each takes what the others have not.
 */
export async function settleDueTransfers(): Promise<number | undefined> {
  let settled = await settleBatch();
  while (settled === batchMax) settled = await settleBatch();
  return findTimeToNextTransfer(servicePool());
}

/**
 * Ends one transfer of a client by decision and announces it. Returns false when it is not pending any more, or not this
 * client's. Processing one whose destination is closed makes it fail instead.
 */
export function finishTransfer(id: string, wanted: TransferEnd, { clientId }: { clientId: string }): Promise<boolean> {
  return inPreparedTransaction(async (connection, tx) => {
    const transfer = await lockPendingTransfer(connection, { id, clientId });
    if (!transfer) return false;
    await finishAll(connection, tx, [transfer], (isDestinationOpen) => endByHand(wanted, { isDestinationOpen }));
    return true;
  });
}

function settleBatch(): Promise<number> {
  const isSandbox = serviceConfig().mode === "sandbox";
  return inPreparedTransaction(async (connection, tx) => {
    const due = await claimDueTransfers(connection, batchMax);
    if (due.length > 0) {
      await finishAll(connection, tx, due, (isDestinationOpen, { amountCents }) =>
        endOfDueTransfer({ amountCents, isDestinationOpen }, { isSandbox }),
      );
    }
    return due.length;
  });
}

async function finishAll(
  connection: Connection,
  tx: Db,
  transfers: LockedTransfer[],
  endOf: (isDestinationOpen: boolean, transfer: LockedTransfer) => TransferEnd,
): Promise<void> {
  const open = await lockAccountsOf(connection, transfers);
  const ends = transfers.map((transfer) => ({ id: transfer.id, ...endOf(open.has(transfer.destinationId), transfer) }));
  const finished = await finishTransfers(connection, ends);
  await insertDeliveries(tx, finished.flatMap(announcementsOf));
}

function announcementsOf({ id, routineId, clientId, userId, traceId }: FinishedTransfer) {
  const change = { clientId, userId, traceId };
  return [
    { ...change, webhookType: "routine_updated" as const, resourceId: routineId },
    { ...change, webhookType: "transfer_updated" as const, resourceId: id },
  ];
}
