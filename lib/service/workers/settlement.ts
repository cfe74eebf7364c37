import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import { settleDueTransfers } from "../operations/money/settle-transfers.ts";
import { channels, listenOn } from "../storage/channels.ts";

/** Starts settling transfers as they fall due, in this process; `stop` returns once the batch under way is committed. */
export function startSettlement(): WakeLoop {
  return startWakeLoop({ name: "settlement", listen: listenOn(channels.transfers), work: settleDueTransfers });
}
