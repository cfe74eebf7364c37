import { isDatabaseUnavailable } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { inEachCell } from "../cells.ts";
import { database } from "../storage/database.ts";
import { readOutboxBacklog } from "../storage/delivery-queue.ts";
import { findLastReconciliation, type LastReconciliation } from "../storage/reconciliations.ts";

export type Health =
  | { kind: "database_unavailable" }
  | {
      kind: "read";
      webhooksLateSeconds: number;
      reconciliation: LastReconciliation | undefined;
    };

/** Across all cells: the longest delay, and all problems and the greatest age of the last reconciliations, if each has one. */
export async function readHealth(): Promise<Health> {
  try {
    const parts = await inEachCell(readPart);
    return {
      kind: "read",
      webhooksLateSeconds: Math.max(...parts.map(({ oldestSeconds }) => oldestSeconds)),
      reconciliation: worstOf(parts.map(({ reconciliation }) => reconciliation)),
    };
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    log().warn({ error: describeError(error) }, "the status page could not reach the database");
    return { kind: "database_unavailable" };
  }
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
