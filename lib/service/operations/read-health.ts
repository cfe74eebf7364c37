import { isDatabaseUnavailable } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { cells, currentCell, inEachCell } from "../cells.ts";
import { database } from "../storage/database.ts";
import { readOutboxBacklog } from "../storage/delivery-queue.ts";
import { findLastReconciliation, type LastReconciliation } from "../storage/reconciliations.ts";

/** `read`: what the cells that answered know; `isPartial` if one of several didn't. */
export type Health =
  | { kind: "database_unavailable" }
  | {
      kind: "read";
      isPartial: boolean;
      webhooksLateSeconds: number;
      reconciliation: LastReconciliation | undefined;
    };

/** Across all cells: the longest delay, and all problems and the greatest age of the last reconciliations, if each has one. */
export async function readHealth(): Promise<Health> {
  const parts = (await inEachCell(() => readPart().catch(logUnavailable))).filter((part) => part !== undefined);
  if (parts.length === 0) return { kind: "database_unavailable" };
  return {
    kind: "read",
    isPartial: parts.length < cells().length,
    webhooksLateSeconds: Math.max(...parts.map(({ oldestSeconds }) => oldestSeconds)),
    reconciliation: worstOf(parts.map(({ reconciliation }) => reconciliation)),
  };
}

function logUnavailable(error: unknown): undefined {
  if (!isDatabaseUnavailable(error)) throw error;
  log().warn({ cell: currentCell(), error: describeError(error) }, "the status page could not reach the database");
}

async function readPart() {
  const { oldestSeconds } = await readOutboxBacklog(database());
  return { oldestSeconds, reconciliation: await findLastReconciliation(database()) };
}

function worstOf(all: (LastReconciliation | undefined)[]): LastReconciliation | undefined {
  return all.reduce(
    (worst, one) =>
      worst &&
      one && { problems: worst.problems + one.problems, secondsAgo: Math.max(worst.secondsAgo, one.secondsAgo) },
  );
}
