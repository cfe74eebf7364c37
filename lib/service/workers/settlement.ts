import { setTimeout as delay } from "node:timers/promises";
import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { settleDueTransfers } from "../operations/money/settle-transfers.ts";
import { channels, listenOn } from "../storage/channels.ts";
import { sleepNotice } from "./sleep-notice.ts";

// What falls due within this time after a look is settled together: each batch costs a commit, and locks the accounts that
// routines are being created on.
const gatherMs = 25;

/** Starts settling transfers as they fall due, in this process; `stop` returns once the batch under way is committed. */
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
