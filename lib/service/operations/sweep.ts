import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLost, isLockTimeout, reasonOf } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { divideByMonth, dropMonthOfDeliveries, monthlyTables } from "../storage/months.ts";
import { releaseFromQuarantine, setAside } from "../storage/quarantine.ts";
import { listSweeps, type Retention, type Sweep } from "../storage/sweep.ts";

/** How long ended rows are kept. An expired token is told apart from an unknown one for as long (Decision D5). */
export const defaultRetention: Retention = { deliveriesKeptDays: 90, endedKeptDays: 30 };

/** What differs in tests. `retention` and `kinds` are otherwise `defaultRetention` and all. */
export type SweepOptions = { batchSize?: number; retention?: Retention; kinds?: Sweep[] };

/**
 * Begins the months that come, drops those that are too old, and deletes what else ended long ago, in batches of `batchSize`
 * that commit by themselves, so that nobody waits for it long. What cannot be done is told to the operator and keeps nothing
 * else from being done. Returns early once `stopping` is aborted; several processes may do it at once.
 */
export async function sweep(
  stopping: AbortSignal,
  { batchSize = 2000, retention = defaultRetention, kinds = listSweeps(retention) }: SweepOptions = {},
): Promise<void> {
  await report("months", () => keepMonths(retention, stopping));
  for (const kind of kinds) {
    if (stopping.aborted) return;
    await report(kind.name, () => sweepKind(kind, { batchSize, stopping }));
  }
}

/** Begins the months that come, and drops those that are too old. */
async function keepMonths({ deliveriesKeptDays }: Retention, stopping: AbortSignal): Promise<void> {
  for (const table of monthlyTables) await takeSteps(() => divideByMonth(table), stopping);
  await takeSteps(() => dropMonthOfDeliveries(deliveriesKeptDays), stopping);
}

// Each step wants a table for itself for a moment. It gives up soon, because others queue behind it, and tries again.
async function takeSteps(step: () => Promise<string | undefined>, stopping: AbortSignal): Promise<void> {
  for (let tries = 0; !stopping.aborted; ) {
    try {
      const done = await step();
      if (done === undefined) return;
      log().info({ done }, "kept months");
    } catch (error) {
      tries += 1;
      if (!isLockTimeout(error) || tries === triesMax) throw error;
      await delay(betweenTriesMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

const triesMax = 10;
const betweenTriesMs = 1000;

async function report(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    await releaseFromQuarantine(database(), "sweep", [name]);
  } catch (error) {
    // The database went away, which is no fault of these rows.
    if (isConnectionLost(error)) throw error;
    log().error({ rows: name, error: describeError(error) }, "a sweep failed");
    await setAside("sweep", [{ id: name, reason: reasonOf(error) }]);
  }
}

async function sweepKind(
  { name, deleteBatch }: Sweep,
  { batchSize, stopping }: { batchSize: number; stopping: AbortSignal },
): Promise<void> {
  let total = 0;
  let deleted: number;
  do {
    if (stopping.aborted) return;
    deleted = await deleteBatch(database(), batchSize);
    total += deleted;
  } while (deleted === batchSize);
  if (total > 0) log().info({ rows: name, count: total }, "deleted what ended long ago");
}
