import {
  requireAnswer,
  type SettlementAnswer,
  type SettlementFailure,
  type SettlementProvider,
  settlementAnswer,
} from "../../../contract/providers.ts";
import { callWithin, messageWithoutData } from "../../../kit/call-within.ts";
import { isConnectionLost, reasonOf } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { createDueWork, type DueWork } from "../../../kit/due-work.ts";
import { log } from "../../../kit/log.ts";
import { inSpan } from "../../../kit/spans.ts";
import { judgeSettlement, type SettlementResult } from "../../domain/settlement-orders.ts";
import { accountClosed, type TransferEnd } from "../../domain/transfers.ts";
import { countProviderCall, countReturnLoss, countSettlementResult } from "../../metrics.ts";
import { ProviderFailedError, providers } from "../../providers.ts";
import { type Connection, type Db, database, inTransaction, servicePool } from "../../storage/database.ts";
import { insertDeliveries } from "../../storage/deliveries.ts";
import { quarantineRows } from "../../storage/quarantine.ts";
import {
  claimDueSettlementOrders,
  type DueSettlementOrder,
  endSettlementOrder,
  findNextSettlementOrderMs,
  hasUnfinishedSettlementOrders,
  lockSettlementOrder,
  openSettlementOrders,
  postponeReturnPoll,
  postponeSettlementOrder,
  recordContradiction,
  recordUnknownResult,
  releaseSettlementOrder,
} from "../../storage/settlement-orders.ts";
import {
  findDueTransfers,
  findPendingTransfer,
  findTimeToNextTransfer,
  settleTransfers,
} from "../../storage/settlements.ts";
import { insertReturn, type TransferReturn } from "../../storage/transfer-returns.ts";
import { announcementsOf, batchMax, lockTimeoutMs, settlementOf, settleSet } from "./settle-transfers.ts";

/**
 * Opens orders for all due transfers, in batches, until `stopping`. Returns the milliseconds until the next transfer is due;
 * undefined if none is scheduled. Processes skip each other's transfers.
 */
export async function orderDueTransfers(stopping?: AbortSignal): Promise<number | undefined> {
  while ((await orderBatch()) === batchMax && !stopping?.aborted);
  return findTimeToNextTransfer(servicePool());
}

async function orderBatch(): Promise<number> {
  const due = await findDueTransfers(servicePool(), batchMax);
  if (due.length === 0) return 0;
  const claimed = await openSettlementOrders(
    database(),
    due.map(({ id }) => id),
  );
  const refused = new Set(claimed.filter(({ isOpened }) => !isOpened).map(({ transferId }) => transferId));
  const closed = due.filter(({ id }) => refused.has(id));
  // Accounts never reopen, so there's nothing to order.
  if (closed.length > 0) await settleSet(closed, () => accountClosed);
  return claimed.length;
}

/** Throws if there's no provider to ask about orders that are unfinished. Called when a process with workers starts. */
export async function requireSettlementProvider(): Promise<void> {
  if (providers().settlement || !(await hasUnfinishedSettlementOrders(database()))) return;
  throw new Error(
    "SERVICE_MODE=production needs a settlement provider, because settlement orders are open or polled for returns: see docs/operations.md#providers.",
  );
}

const inFlightMax = 50;
const timeoutMs = 20_000;
// Longer than a call and its surrounding statements take.
const leaseMs = timeoutMs + 40_000;

/** Asks the provider about due orders. A failed order is quarantined; `onFailed` is called if that fails. */
export function createOrderPoller(provider: SettlementProvider, { onFailed }: { onFailed?: () => void } = {}): DueWork {
  return createDueWork({
    inFlightMax,
    claim: (limit) => claimDueSettlementOrders(database(), { limit, leaseMs }),
    work: (order) => inSpan({ name: "settlement order" }, () => pollOrder(order, provider)),
    findNextMs: () => findNextSettlementOrderMs(database()),
    onFailed,
  });
}

async function pollOrder(order: DueSettlementOrder, provider: SettlementProvider): Promise<void> {
  const { id } = order;
  try {
    await applySettlementAnswer(id, await askProvider(order, provider));
  } catch (error) {
    // Not this row's fault.
    if (isConnectionLost(error)) throw error;
    const isProviders = error instanceof ProviderFailedError;
    log().error(
      isProviders ? { transferId: id, reason: error.message } : { transferId: id, error: describeError(error) },
      "a settlement order failed",
    );
    const reason = isProviders ? `provider: ${error.message}` : reasonOf(error);
    await quarantineRows("settlement_order", [{ id, reason }]);
  } finally {
    await releaseSettlementOrder(database(), id);
  }
}

async function askProvider(
  { reference, ...order }: DueSettlementOrder,
  provider: SettlementProvider,
): Promise<SettlementAnswer> {
  const { id } = order;
  try {
    const answer = await callWithin(timeoutMs, (call) =>
      reference === null ? provider.order(order, call) : provider.poll({ id, reference }, call),
    );
    const read = requireAnswer(settlementAnswer, answer);
    countProviderCall("settlement", "answered");
    return read;
  } catch (error) {
    countProviderCall("settlement", "failed");
    const holders = [order.source.holder, order.destination.holder];
    throw new ProviderFailedError(
      messageWithoutData(error, [...holders, ...holders.flatMap((name) => name.split(" "))]),
    );
  }
}

/** Applies an answer once, even if answers are repeated, arrive out of order, or come from both polls and callbacks. */
export async function applySettlementAnswer(id: string, answer: SettlementAnswer): Promise<void> {
  const { result, returned } = await inTransaction((tx, connection) => applyWithin(tx, connection, { id, answer }), {
    lockTimeoutMs,
  });
  countSettlementResult(result);
  const facts = { transferId: id, answer: answer.kind };
  if (returned) {
    const { id: returnTransferId, lossCents } = returned;
    countReturnLoss(lossCents);
    log().info({ ...facts, returnTransferId, lossCents }, "a settled transfer was returned");
  }
  if (result === "late") log().info(facts, "a settlement result came too late and was dropped");
  if (result === "contradiction") {
    log().error(facts, "a settlement result contradicts an earlier one; an operator must decide");
  }
  if (result === "unknown") log().error(facts, "a settlement result matches no order; an operator must review it");
}

async function applyWithin(
  tx: Db,
  connection: Connection,
  { id, answer }: { id: string; answer: SettlementAnswer },
): Promise<{ result: SettlementResult; returned?: TransferReturn }> {
  const order = await lockSettlementOrder(tx, id);
  if (!order) {
    await recordUnknownResult(tx, { id, kind: answer.kind, reason: "reason" in answer ? answer.reason : null });
    return { result: "unknown" };
  }
  const { clientId, state } = order;
  const verdict = judgeSettlement(state, answer);
  switch (verdict) {
    case "wait":
      if (answer.kind === "pending") {
        await postponeSettlementOrder(tx, { id, clientId, reference: answer.reference });
      }
      return { result: "pending" };
    case "settle": {
      await endTransfer(connection, { id, clientId }, { status: "processed", failureReason: null });
      const returns = answer.kind === "settled" ? answer.returns : undefined;
      await endSettlementOrder(tx, { id, clientId, state: "settled", returns });
      return { result: "settled" };
    }
    case "fail":
    case "bounce":
      await endTransfer(connection, { id, clientId }, { status: "failed", failureReason: reasonIn(answer) });
      await endSettlementOrder(tx, { id, clientId, state: verdict === "fail" ? "failed" : "bounced" });
      return { result: "failed" };
    case "return": {
      const returned = await insertReturn(tx, { id, clientId, reason: reasonIn(answer) });
      await insertDeliveries(tx, announcementsOf({ ...returned, clientId }));
      await endSettlementOrder(tx, { id, clientId, state: "returned", returnTransferId: returned.id });
      return { result: "returned", returned };
    }
    case "contradicts":
      await recordContradiction(tx, { id, clientId }, answer.kind);
      await postponeReturnPoll(tx, { id, clientId });
      return { result: "contradiction" };
    case "repeated":
    case "late":
      await postponeReturnPoll(tx, { id, clientId });
      return { result: verdict };
  }
}

function reasonIn(answer: SettlementAnswer): SettlementFailure {
  return "reason" in answer ? answer.reason : "unspecified";
}

// The provider has already moved the money or not, so it doesn't matter if the destination was closed since.
async function endTransfer(
  connection: Connection,
  { id, clientId }: { id: string; clientId: string },
  end: TransferEnd,
): Promise<void> {
  const transfer = await findPendingTransfer(connection, { id, clientId });
  const settlements = transfer ? [settlementOf(transfer, () => end)] : [];
  const { settled } = await settleTransfers(connection, settlements, { waits: "for all", lockTimeoutMs });
  if (settled.length !== 1) throw new Error("The transfer of an open order has ended.");
}
