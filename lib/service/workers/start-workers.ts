import { setTimeout as delay } from "node:timers/promises";
import type { PhotoIdStorage, SendText, SettlementProvider } from "../../contract/providers.ts";
import { newId } from "../../kit/ids.ts";
import { type SleepNotice, startWakeLoop, type WakeLoop, type WakeLoopOptions } from "../../kit/wake-loop.ts";
import { cells, currentCell, firstCell, inCell } from "../cells.ts";
import { reconcileDaily } from "../operations/money/reconcile.ts";
import { createOrderPoller, orderDueTransfers } from "../operations/money/settle-by-provider.ts";
import { settleDueTransfers } from "../operations/money/settle-transfers.ts";
import { deletePhotos } from "../operations/people/photo-storage.ts";
import { createScreener } from "../operations/people/screen-people.ts";
import { createTextSender } from "../operations/send-texts.ts";
import { sweep } from "../operations/sweep.ts";
import { createDeliverySender } from "../operations/webhooks/send-deliveries.ts";
import { providers } from "../providers.ts";
import {
  areTransactionsDone,
  type Channel,
  channels,
  deleteSleepingWorker,
  listenInCell,
  markWorkerAwake,
  snapshotTransactions,
  upsertSleepingWorker,
} from "../storage/channels.ts";
import { database } from "../storage/database.ts";

/** Each cell has its own workers, so that a slow or lost one doesn't delay the others. Any number of processes can run them. */
export function startServiceWorkers(): { stop: () => Promise<void> } {
  const { sendText, settlement, photoIds } = providers();
  const startAll = () => [
    startScreening(),
    startSettlement(),
    startWebhookSender(),
    startSweeper(),
    startReconciler(),
    ...(sendText ? [startTextSender(sendText)] : []),
    ...(settlement ? [startOrders(settlement)] : []),
    ...(photoIds ? [startPhotoDeletion(photoIds)] : []),
  ];
  const workers = cells().flatMap((cell) => inCell(cell, startAll));
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

/** A loop that always works in the cell where it was started. */
function startLoop({ name, work, ...options }: WakeLoopOptions): WakeLoop {
  const cell = currentCell();
  return startWakeLoop({
    ...options,
    name: cell === firstCell ? name : `${name} of cell ${cell}`,
    work: (...call) => inCell(cell, () => work(...call)),
  });
}

/** Throws if no screening provider is connected. `stop` waits for calls in progress. */
export function startScreening(): WakeLoop {
  const { screening } = providers();
  if (!screening) {
    throw new Error("SERVICE_MODE=production needs a screening provider: see docs/operations.md#providers.");
  }
  const screener = createScreener(screening, { onFailed: () => loop.wake() });
  const loop = startLoop({
    name: "screening",
    listen: listenInCell(channels.screenings),
    sleep: sleepNotice(channels.screenings),
    work: screener.startDue,
    drain: screener.drain,
  });
  return loop;
}

// Transfers due within this window settle together, because each batch costs a commit and locks on accounts that
// bookings need.
const batchWindowMs = 25;

/** `stop` waits for the batch in progress. */
export function startSettlement(): WakeLoop {
  return startLoop({
    name: "settlement",
    listen: listenInCell(channels.transfers),
    sleep: sleepNotice(channels.transfers),
    work: settleAndGather,
  });
}

async function settleAndGather(stopping: AbortSignal): Promise<number | undefined> {
  const nextMs = await (providers().settlement ? orderDueTransfers(stopping) : settleDueTransfers(stopping));
  await delay(batchWindowMs, undefined, { signal: stopping }).catch(() => undefined);
  return nextMs === undefined ? undefined : Math.max(0, nextMs - batchWindowMs);
}

/** Asks the settlement provider. `stop` waits for calls in progress. */
export function startOrders(settlement: SettlementProvider): WakeLoop {
  const poller = createOrderPoller(settlement, { onFailed: () => loop.wake() });
  const loop = startLoop({
    name: "settlement orders",
    listen: listenInCell(channels.settlementOrders),
    sleep: sleepNotice(channels.settlementOrders),
    work: poller.startDue,
    drain: poller.drain,
  });
  return loop;
}

const graceMs = 2000;

/** `stop` gives attempts in flight 2 s to finish, then aborts them. Only tests set `quickMs`. */
export function startWebhookSender({ quickMs }: { quickMs?: number } = {}): WakeLoop {
  const sender = createDeliverySender({ onCapacity: () => loop.wake(), quickMs });
  const loop = startLoop({
    name: "webhook sender",
    listen: listenInCell(channels.deliveries),
    sleep: sleepNotice(channels.deliveries),
    work: sender.sendAllDue,
    drain: () => sender.drain({ graceMs }),
  });
  return loop;
}

/** `stop` waits for the attempts in progress. */
export function startTextSender(sendText: SendText): WakeLoop {
  const sender = createTextSender(sendText);
  return startLoop({
    name: "text sender",
    listen: listenInCell(channels.messages),
    work: sender.sendWaiting,
    drain: sender.drain,
  });
}

/** `stop` waits for the batch in progress. */
export function startPhotoDeletion(photoIds: PhotoIdStorage): WakeLoop {
  return startLoop({ name: "photo deletion", work: () => deletePhotos(photoIds) });
}

const hourMs = 60 * 60 * 1000;

/** Deletes expired rows, at start and hourly. `stop` waits for the batch in progress. */
export function startSweeper(): WakeLoop {
  return startLoop({
    name: "sweeper",
    pollMs: hourMs,
    work: async (stopping) => {
      await sweep(stopping);
      return undefined;
    },
  });
}

/** Reconciles the ledger daily; checks at startup and hourly if it's time. `stop` aborts a run in progress. */
export function startReconciler(): WakeLoop {
  return startLoop({
    name: "reconciler",
    pollMs: hourMs,
    work: async (stopping, progress) => {
      await reconcileDaily(stopping, progress);
      return undefined;
    },
  });
}

/** Records how long a worker of this process sleeps, so that triggers notify its channel of anything due sooner. */
export function sleepNotice(channel: Channel): SleepNotice {
  const worker = { channel, workerId: newId() };
  const ownDatabase = database();
  return {
    announce: async (sleepMs) => {
      await upsertSleepingWorker(ownDatabase, { ...worker, sleepMs });
      return snapshotTransactions(ownDatabase);
    },
    isSeen: (snapshot) => areTransactionsDone(ownDatabase, snapshot),
    wake: () => markWorkerAwake(ownDatabase, worker),
    remove: () => deleteSleepingWorker(ownDatabase, worker),
  };
}
