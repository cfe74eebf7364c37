import { bisect } from "../../../kit/batcher.ts";
import { isLockTimeout, reasonOf } from "../../../kit/database-errors.ts";
import { inSpan, tracing } from "../../../kit/spans.ts";
import { retryConflicts, runSingleStatement, type SingleStatement } from "../../../kit/transaction.ts";
import { endByHand, endOfDueTransfer, type TransferEnd } from "../../domain/transfers.ts";
import { providers } from "../../providers.ts";
import { servicePool } from "../../storage/database.ts";
import type { NewDelivery } from "../../storage/deliveries.ts";
import { quarantineRows } from "../../storage/quarantine.ts";
import {
  findDueTransfers,
  findPendingTransfer,
  findTimeToNextTransfer,
  isTransferEnded,
  type PendingTransfer,
  type Settlement,
  type SettlementOptions,
  settleTransfers,
} from "../../storage/settlements.ts";

// Small enough to release the accounts' locks soon.
export const batchMax = 256;
// Longer than a busy account's lock is held, but short enough that a frozen process barely delays the others.
export const lockTimeoutMs = 1000;

/**
 * Settles all due transfers, in batches, until `stopping`. Returns the milliseconds until the next transfer is due;
 * undefined if none is scheduled. Processes skip each other's transfers.
 */
export async function settleDueTransfers(stopping?: AbortSignal): Promise<number | undefined> {
  while ((await settleBatch()) === batchMax && !stopping?.aborted);
  return findTimeToNextTransfer(servicePool());
}

/**
 * Ends one transfer by hand. Returns false if it's no longer pending or isn't this client's. If it should be processed
 * but its destination is closed, it fails instead.
 */
export async function finishTransfer(
  id: string,
  requested: TransferEnd,
  { clientId }: { clientId: string },
): Promise<boolean> {
  const transfer = await findPendingTransfer(servicePool(), { id, clientId });
  if (!transfer) return false;
  const settlement = settlementOf(transfer, (isDestinationOpen) => endByHand(requested, { isDestinationOpen }));
  const { settled } = await settleInOneStatement([settlement], {
    waits: "for all",
    readBack: async (connection) => ({ settled: (await isTransferEnded(connection, id)) ? [id] : [], held: [] }),
  });
  return settled.length === 1;
}

async function settleBatch(): Promise<number> {
  const due = await findDueTransfers(servicePool(), batchMax);
  if (due.length === 0) return 0;
  return settleSet(due, ({ amountCents }, isDestinationOpen) =>
    endOfDueTransfer(providers().settlementOf(amountCents), { isDestinationOpen }),
  );
}

type EndOf = (transfer: PendingTransfer, isDestinationOpen: boolean) => TransferEnd;

/** Ends due transfers, quarantines those that can't be settled, and returns the number of both. */
export function settleSet(due: PendingTransfer[], endOf: EndOf): Promise<number> {
  return inSpan({ name: "settlement", facts: { "gangway.set.size": due.length } }, async () => {
    const { done, failed } = await bisect(due, (part) => settleTogether(part, endOf));
    const settled = new Set(done.flatMap((part) => part.settled));
    // In each payment's own trace, linked to its set.
    for (const { id, traceId } of due) {
      if (settled.has(id)) tracing()?.begin({ name: "transfer settled", traceId }).end();
    }
    const rejected = failed.map(({ item: { id }, error }) => ({ id, reason: reasonOf(error) }));
    const held = done.flatMap((part) =>
      part.held.map((id) => ({ id, reason: "another transaction holds an account" })),
    );
    if (rejected.length + held.length > 0) await quarantineRows("transfer", [...rejected, ...held]);
    return settled.size + rejected.length + held.length;
  });
}

type Part = { settled: string[]; held: string[] };

/** Settles part of a batch in one statement. If PostgreSQL rejects a row, settles nothing. */
async function settleTogether(part: PendingTransfer[], endOf: EndOf): Promise<Part> {
  const settlements = part.map((transfer) => settlementOf(transfer, (isOpen) => endOf(transfer, isOpen)));
  try {
    return await settleInOneStatement(settlements, { waits: "for accounts", readBack });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return settleInOneStatement(settlements, { waits: "for none", readBack });
  }
}

// Settled transfers are no longer due; the next poll finds the others.
const readBack = async (): Promise<Part> => ({ settled: [], held: [] });

function settleInOneStatement(
  settlements: Settlement[],
  { waits, readBack }: Pick<SettlementOptions, "waits"> & Pick<SingleStatement<Part>, "readBack">,
): Promise<Part> {
  return retryConflicts(() =>
    runSingleStatement(servicePool(), {
      run: (connection) => settleTransfers(connection, settlements, { waits, lockTimeoutMs }),
      readBack,
    }),
  );
}

/** How a transfer ends, depending on its destination, and the webhooks that announce it. */
export function settlementOf(
  transfer: PendingTransfer,
  endOf: (isDestinationOpen: boolean) => TransferEnd,
): Settlement {
  return {
    id: transfer.id,
    ifOpen: endOf(true),
    ifClosed: endOf(false),
    announcements: announcementsOf(transfer),
  };
}

export function announcementsOf(transfer: Omit<PendingTransfer, "amountCents">): NewDelivery[] {
  const { id, routineId, clientId, userId, traceId } = transfer;
  const change = { clientId, userId, traceId };
  return [
    { ...change, webhookType: "routine_updated" as const, resourceId: routineId },
    { ...change, webhookType: "transfer_updated" as const, resourceId: id },
  ];
}
