import { isConnectionLost } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { reasonOf } from "../../kit/row-errors.ts";
import { database } from "../storage/database.ts";
import { releaseFromQuarantine } from "../storage/quarantine.ts";
import { type Sweep, sweeps } from "../storage/sweep.ts";
import { setAside } from "./set-aside.ts";

/**
 * Deletes what ended long ago, in batches of `batchSize` that commit by themselves, so that nobody waits for it long. A kind
 * that cannot be deleted is told to the operator and keeps no other from being swept. Returns early once `stopping` is
 * aborted; several processes may do it at once.
 */
export async function sweep(stopping: AbortSignal, { batchSize = 2000, kinds = sweeps } = {}): Promise<void> {
  for (const kind of kinds) {
    try {
      await sweepKind(kind, { batchSize, stopping });
      if (stopping.aborted) return;
      await releaseFromQuarantine(database(), "sweep", [kind.name]);
    } catch (error) {
      // The database went away, which is no fault of these rows.
      if (isConnectionLost(error)) throw error;
      log().error({ rows: kind.name, error: describeError(error) }, "a sweep failed");
      await setAside("sweep", [{ id: kind.name, reason: reasonOf(error) }]);
    }
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
