import { settleDueTransfers } from "../operations/money/settle-transfers.ts";
import { startWakeLoop, type WakeLoop } from "./wake-loop.ts";

/** Starts settling transfers as they fall due, in this process; `stop` returns once the batch under way is committed. */
export function startSettlement(): WakeLoop {
  return startWakeLoop({ channel: "service_transfers", work: settleDueTransfers });
}
