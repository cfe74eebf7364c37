import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { sweep } from "../operations/sweep.ts";

const hourMs = 60 * 60 * 1000;

/** Starts deleting what ended long ago, at start and every hour. `stop` returns once the batch under way is committed. */
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
