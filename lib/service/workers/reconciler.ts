import { reconcileDaily } from "../operations/money/reconcile.ts";
import { startWakeLoop, type WakeLoop } from "./wake-loop.ts";

const hourMs = 60 * 60 * 1000;

/** Starts comparing the books once a day: at start when it is due, and asked for every hour. `stop` breaks off one under way. */
export function startReconciler(): WakeLoop {
  const stopping = new AbortController();
  const loop = startWakeLoop({
    channel: "service_reconciler",
    pollMs: hourMs,
    work: async () => {
      try {
        await reconcileDaily(stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) throw error;
      }
      return undefined;
    },
  });
  return {
    wake: loop.wake,
    stop: () => {
      stopping.abort();
      return loop.stop();
    },
  };
}
