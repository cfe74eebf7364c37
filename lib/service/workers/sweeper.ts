import { sweep } from "../operations/sweep.ts";
import { startWakeLoop, type WakeLoop } from "./wake-loop.ts";

const hourMs = 60 * 60 * 1000;

/** Starts deleting what ended long ago, at start and every hour. `stop` returns once the batch under way is committed. */
export function startSweeper(): WakeLoop {
  const stopping = new AbortController();
  const loop = startWakeLoop({
    channel: "service_sweeper",
    pollMs: hourMs,
    work: async () => {
      await sweep(stopping.signal);
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
