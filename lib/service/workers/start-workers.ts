import { startReconciler } from "./reconciler.ts";
import { startScreening } from "./screening.ts";
import { startSettlement } from "./settlement.ts";
import { startSweeper } from "./sweeper.ts";
import { startWebhookSender } from "./webhook-sender.ts";

/** Starts everything that runs by itself: screening, settlement, webhooks, sweeping, reconciling. Any number of processes may do so. */
export function startServiceWorkers(): { stop: () => Promise<void> } {
  const workers = [startScreening(), startSettlement(), startWebhookSender(), startSweeper(), startReconciler()];
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
