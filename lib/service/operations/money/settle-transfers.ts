import { isLockTimeout, isTransactionConflict } from "../../../kit/database-errors.ts";
import { doInParts } from "../../../kit/do-in-parts.ts";
import { isDataError, reasonOf } from "../../../kit/row-errors.ts";
import { runSingleStatement } from "../../../kit/single-statement.ts";
import { inSpan, tracing } from "../../../kit/spans.ts";
import { endByHand, endOfDueTransfer, type TransferEnd } from "../../domain/settlement.ts";
import { providers } from "../../providers.ts";
import { type Connection, inTransaction, servicePool } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { quarantineRows } from "../../storage/quarantine.ts";
import { inSavepoint } from "../../storage/savepoint.ts";
import { settleInOneStatement } from "../../storage/settle-in-one-statement.ts";
import {
  claimDueTransfers,
  type DueTransfer,
  type FinishedTransfer,
  findDueTransfers,
  findTimeToNextTransfer,
  finishTransfers,
  type LockedAccounts,
  type LockedTransfer,
  lockAccountsOf,
  lockFreeAccountsOf,
  lockPendingTransfer,
} from "../../storage/settlements.ts";
import { reportSetAside } from "../set-aside.ts";

// As many as one statement takes without holding the accounts' locks for long.
const batchMax = 256;
// Longer than a busy account makes anybody wait, and short enough that whoever hangs with one delays its neighbours little.
const lockWaitMs = 1000;

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
  return inTransaction(async (tx, connection) => {
    const transfer = await lockPendingTransfer(connection, { id, clientId });
    if (!transfer) return false;
    const accounts = await lockAccountsOf(connection, [transfer]);
    const end = endByHand(wanted, { isDestinationOpen: isDestinationOpen(transfer, accounts) });
    const finished = await finishTransfers(connection, [{ id, ...end }]);
    await insertDeliveries(tx, finished.flatMap(announcementsOf));
    return true;
  });
}

// What is easy goes in one statement, which holds the accounts for one commit and no round trip. A batch that meets a
// locked account or a bad row, or that others have taken, goes the careful way.
async function settleBatch(): Promise<number> {
  const due = await findDueTransfers(servicePool(), batchMax);
  if (due.length === 0) return 0;
  return inSpan({ name: "settlement", facts: { "gangway.set.size": due.length } }, async () => {
    const settled = await settleEasy(due).catch((error: unknown) => {
      if (!isLockTimeout(error) && !isTransactionConflict(error) && !isDataError(error)) throw error;
      return 0;
    });
    // In the trace of each payment, linked with the set that it was settled in.
    if (settled === due.length)
      for (const { traceId } of due) tracing()?.begin({ name: "transfer settled", traceId }).end();
    return settled === 0 ? settleCarefully() : due.length;
  });
}

/** Settles those of these transfers that nobody else holds, all or none, and returns how many. */
function settleEasy(due: DueTransfer[]): Promise<number> {
  const ends = due.map((transfer) => {
    const outcome = providers().settlementOf(transfer.amountCents);
    return {
      id: transfer.id,
      whereOpen: endOfDueTransfer(outcome, { isDestinationOpen: true }),
      whereClosed: endOfDueTransfer(outcome, { isDestinationOpen: false }),
      announcements: announcementsOf(transfer),
    };
  });
  return runSingleStatement(servicePool(), {
    run: (connection) => settleInOneStatement(connection, ends, { lockTimeoutMs: lockWaitMs }),
    // Whatever it did: what is due then is looked for anew.
    readBack: async () => 0,
  });
}

// One transaction for the batch. What cannot be settled is set aside in it, and everything else is settled as if that were
// not there.
async function settleCarefully(): Promise<number> {
  const { claimed, setAside } = await inTransaction(
    async (tx, connection) => {
      const due = await claimDueTransfers(connection, batchMax);
      if (due.length === 0) return { claimed: 0, setAside: [] };
      const accounts = await lockAccountsInTime(connection, due);
      const [ready, waiting] = split(
        due,
        ({ sourceId, destinationId }) => accounts.has(sourceId) && accounts.has(destinationId),
      );
      // The accounts are locked before, all at once, so that doing it in parts changes nothing in the order of locks.
      const { done, undone } = await doInParts(
        ready.map((transfer) => endOf(transfer, accounts)),
        (ends) => inSavepoint(connection, isDataError, () => finishTransfers(connection, ends)),
      );
      await insertDeliveries(tx, done.flat().flatMap(announcementsOf));
      const setAside = [
        ...undone.map(({ item: { id }, error }) => ({ id, reason: reasonOf(error) })),
        ...waiting.map(({ id }) => ({ id, reason: "an account is locked by somebody else" })),
      ];
      if (setAside.length > 0) await quarantineRows(tx, "transfer", setAside);
      return { claimed: due.length, setAside };
    },
    { lockTimeoutMs: lockWaitMs },
  );
  reportSetAside("transfer", setAside);
  return claimed;
}

/** Locks the accounts of these transfers; should one of them not be had in time, those that nobody else holds. */
async function lockAccountsInTime(connection: Connection, transfers: LockedTransfer[]): Promise<LockedAccounts> {
  const locked = await inSavepoint(connection, isLockTimeout, () => lockAccountsOf(connection, transfers));
  return locked.kind === "done" ? locked.value : lockFreeAccountsOf(connection, transfers);
}

function endOf(transfer: LockedTransfer, accounts: LockedAccounts): TransferEnd & { id: string } {
  const { id, amountCents } = transfer;
  const outcome = providers().settlementOf(amountCents);
  return { id, ...endOfDueTransfer(outcome, { isDestinationOpen: isDestinationOpen(transfer, accounts) }) };
}

function isDestinationOpen({ destinationId }: LockedTransfer, accounts: LockedAccounts): boolean {
  return accounts.get(destinationId)?.isOpen === true;
}

function split<T>(items: T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function announcementsOf({ id, routineId, clientId, userId, traceId }: FinishedTransfer) {
  const change = { clientId, userId, traceId };
  return [
    { ...change, webhookType: "routine_updated" as const, resourceId: routineId },
    { ...change, webhookType: "transfer_updated" as const, resourceId: id },
  ];
}
