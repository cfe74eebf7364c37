import { advanceClock as advanceStoredClock } from "../storage/clocks.ts";
import { inTransaction } from "../storage/database.ts";
import type { ClientKey } from "./clients.ts";

const aheadSecondsMax = 100 * 365 * 86_400;

/** Moves one client's clock forward, and wakes no worker, as time itself does not. */
export async function advanceClock({ clientId }: ClientKey, seconds: number): Promise<void> {
  await inTransaction((tx) => advanceStoredClock(tx, { clientId, seconds, aheadSecondsMax }));
}
