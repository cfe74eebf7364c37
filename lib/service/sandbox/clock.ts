import { limits } from "../../contract/limits.ts";
import { database, inTransaction } from "../storage/database.ts";
import { flushEventLog } from "./events/event-log.ts";
import {
  advanceClock as advanceStoredClock,
  type Clock,
  expireAfterClockReset,
  findClock,
  resetClock as resetStoredClock,
  waitForWriters,
  wakeWorkers,
} from "./storage/clocks.ts";
import { type DueItem, listDueItems } from "./storage/due-items.ts";

export function readClock(clientId: string): Promise<Clock> {
  return findClock(database(), clientId);
}

/** What is overdue or falls due for a client within `seconds`, soonest first, with the client's time. */
export async function readDueItems(clientId: string, { seconds }: { seconds: number }): Promise<Due> {
  const { now } = await readClock(clientId);
  return { now, items: await listDueItems(database(), { clientId, seconds, limit: limits.dueItemsMax }) };
}

type Due = { now: Date; items: DueItem[] };

/** Moves a client's clock forward and wakes the workers; undefined, without moving it, if it would be too far ahead. */
export async function advanceClock(clientId: string, { seconds }: { seconds: number }): Promise<Clock | undefined> {
  // Events from before the jump keep the old time.
  await flushEventLog();
  return inTransaction(async (tx) => {
    const aheadSecondsMax = limits.clockAheadSecondsMax;
    const clock = await advanceStoredClock(tx, { clientId, seconds, aheadSecondsMax });
    if (clock) await wakeWorkers(tx);
    return clock;
  });
}

/**
 * Sets a client's clock to real time. Its tokens, codes and visits end, because another clock dated them, and scheduled
 * work becomes due.
 */
export async function resetClock(clientId: string): Promise<Clock> {
  // Three steps, because concurrent writes that still use the old clock must be committed before they can be ended. If a
  // step fails, the next reset repeats it.
  await flushEventLog();
  await resetStoredClock(database(), clientId);
  await waitForWriters(database(), clientId);
  await inTransaction(async (tx) => {
    await expireAfterClockReset(tx, clientId);
    await wakeWorkers(tx);
  });
  return readClock(clientId);
}
