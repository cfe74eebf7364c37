import { isDatabaseUnavailable } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
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

export async function readHealth(): Promise<Health> {
  try {
    const { oldestSeconds } = await readOutboxBacklog(database());
    return {
      kind: "read",
      webhooksLateSeconds: oldestSeconds,
      reconciliation: await findLastReconciliation(database()),
    };
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    log().warn({ error: describeError(error) }, "the status page could not reach the database");
    return { kind: "database_unavailable" };
  }
}
