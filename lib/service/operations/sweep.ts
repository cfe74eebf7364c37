import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { sweeps } from "../storage/sweep.ts";

/**
 * Deletes what ended long ago, in batches of `batchSize` that commit by themselves, so that nobody waits for it long.
 * Returns early once `stopping` is aborted; several processes may do it at once.
 */
export async function sweep(stopping: AbortSignal, { batchSize = 2000 } = {}): Promise<void> {
  for (const { name, deleteBatch } of sweeps) {
    let total = 0;
    let deleted: number;
    do {
      if (stopping.aborted) return;
      deleted = await deleteBatch(database(), batchSize);
      total += deleted;
    } while (deleted === batchSize);
    if (total > 0) log().info({ rows: name, count: total }, "swept what ended long ago");
  }
}
