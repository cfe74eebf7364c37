import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { reconcileDaily } from "../operations/money/reconcile.ts";

const hourMs = 60 * 60 * 1000;

/** Starts comparing the books once a day: at start when it is due, and asked for every hour. `stop` breaks off one under way. */
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
