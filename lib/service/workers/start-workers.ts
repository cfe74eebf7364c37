import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../kit/ids.ts";
import { type SleepNotice, startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { reconcileDaily } from "../operations/money/reconcile.ts";
import { settleDueTransfers } from "../operations/money/settle-transfers.ts";
import { screenDuePeople } from "../operations/people/screen-people.ts";
import { sweep } from "../operations/sweep.ts";
import { createDeliverySender } from "../operations/webhooks/send-deliveries.ts";
import { providers } from "../providers.ts";
import {
  areTransactionsDone,
  type Channel,
  channels,
  deleteSleepingWorker,
  listenOn,
  markWorkerAwake,
  snapshotTransactions,
  upsertSleepingWorker,
} from "../storage/channels.ts";
import { database } from "../storage/database.ts";

/** Any number of processes may run them. */
export function startServiceWorkers(): { stop: () => Promise<void> } {
  const workers = [startScreening(), startSettlement(), startWebhookSender(), startSweeper(), startReconciler()];
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

/** Throws when no screening provider is connected. */
export function startScreening(): WakeLoop {
  const { screening } = providers();
  if (!screening) {
    throw new Error("SERVICE_MODE=production needs a screening provider: connect one in lib/service/providers.ts.");
  }
  return startWakeLoop({
    name: "screening",
    listen: listenOn(channels.screenings),
    sleep: sleepNotice(channels.screenings),
    work: () => screenDuePeople(screening),
  });
}

// Transfers due within this window settle together, because each batch costs a commit and locks on accounts that
// bookings need.
const gatherMs = 25;

/** `stop` waits for the batch in progress. */
export function startSettlement(): WakeLoop {
  return startWakeLoop({
    name: "settlement",
    listen: listenOn(channels.transfers),
    sleep: sleepNotice(channels.transfers),
    work: settleAndGather,
  });
}

async function settleAndGather(stopping: AbortSignal): Promise<number | undefined> {
  const nextMs = await settleDueTransfers();
  await delay(gatherMs, undefined, { signal: stopping }).catch(() => undefined);
  return nextMs === undefined ? undefined : Math.max(0, nextMs - gatherMs);
}

const graceMs = 2000;

/** `stop` gives attempts in flight 2 s to finish, then aborts them. Only tests set `quickMs`. */
export function startWebhookSender({ quickMs }: { quickMs?: number } = {}): WakeLoop {
  const sender = createDeliverySender({ onCapacity: () => loop.wake(), quickMs });
  const loop = startWakeLoop({
    name: "webhook sender",
    listen: listenOn(channels.deliveries),
    sleep: sleepNotice(channels.deliveries),
    work: sender.sendAllDue,
  });
  return {
    wake: loop.wake,
    stop: async () => {
      await loop.stop();
      await sender.drain({ graceMs });
    },
  };
}

const hourMs = 60 * 60 * 1000;

/** Deletes expired rows, at start and hourly. `stop` waits for the batch in progress. */
export function startSweeper(): WakeLoop {
  return startWakeLoop({
    name: "sweeper",
    pollMs: hourMs,
    work: async (stopping) => {
      await sweep(stopping);
      return undefined;
    },
  });
}

/** Reconciles the ledger daily; checks at start and hourly whether it is time. `stop` aborts a run in progress. */
export function startReconciler(): WakeLoop {
  return startWakeLoop({
    name: "reconciler",
    pollMs: hourMs,
    work: async (stopping) => {
      await reconcileDaily(stopping);
      return undefined;
    },
  });
}

/** Records how long a worker of this process sleeps, so that triggers notify its channel of anything due sooner. */
export function sleepNotice(channel: Channel): SleepNotice {
  const worker = { channel, workerId: newId() };
  return {
    announce: async (sleepMs) => {
      await upsertSleepingWorker(database(), { ...worker, sleepMs });
      return snapshotTransactions(database());
    },
    isSeen: (snapshot) => areTransactionsDone(database(), snapshot),
    wake: () => markWorkerAwake(database(), worker),
    remove: () => deleteSleepingWorker(database(), worker),
  };
}
