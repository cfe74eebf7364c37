import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLost, isLockTimeout, reasonOf } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { quarantineRows, releaseFromQuarantine } from "../storage/quarantine.ts";
import {
  createNextMonth,
  dropMonthOfDeliveries,
  listSweeps,
  monthlyTables,
  type Retention,
  type Sweep,
} from "../storage/sweep.ts";

/** For `endedRetentionDays`, expired tokens are distinguished from unknown ones (Decision D5). */
export const defaultRetention: Retention = { deliveryRetentionDays: 90, endedRetentionDays: 30 };

/** Only tests set these. */
export type SweepOptions = { batchSize?: number; retention?: Retention; kinds?: Sweep[] };

/**
 * Maintains the monthly partitions and deletes expired rows, in batches of `batchSize` that commit separately. Skips a kind
 * that fails, but throws if the connection is lost. Several processes can run it; aborting `stopping` ends it early.
 */
export async function sweep(
  stopping: AbortSignal,
  { batchSize = 2000, retention = defaultRetention, kinds = listSweeps(retention) }: SweepOptions = {},
): Promise<void> {
  await report("months", () => maintainMonths(retention, stopping));
  for (const kind of kinds) {
    if (stopping.aborted) return;
    await report(kind.name, () => sweepKind(kind, { batchSize, stopping }));
  }
}

async function maintainMonths({ deliveryRetentionDays }: Retention, stopping: AbortSignal): Promise<void> {
  for (const table of monthlyTables) await takeSteps(() => createNextMonth(table), stopping);
  await takeSteps(() => dropMonthOfDeliveries(deliveryRetentionDays), stopping);
}

// Each step locks a table. It gives up quickly and retries, because other statements queue behind it.
async function takeSteps(step: () => Promise<string | undefined>, stopping: AbortSignal): Promise<void> {
  for (let tries = 0; !stopping.aborted; ) {
    try {
      const done = await step();
      if (done === undefined) return;
      log().info({ done }, "maintained a monthly partition");
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
    // Not these rows' fault.
    if (isConnectionLost(error)) throw error;
    log().error({ rows: name, error: describeError(error) }, "a sweep failed");
    await quarantineRows("sweep", [{ id: name, reason: reasonOf(error) }]);
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
  if (total > 0) log().info({ rows: name, count: total }, "deleted expired rows");
}
