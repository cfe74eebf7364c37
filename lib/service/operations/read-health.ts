import { isDatabaseUnavailable } from "../../kit/database-errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { readOutboxBacklog } from "../storage/delivery-queue.ts";
import { findLastReconciliation, type LastReconciliation } from "../storage/reconciliations.ts";

/** What the service can say about itself. Without its database it can say nothing about the rest. */
export type Health =
  | { kind: "database_unavailable" }
  | {
      kind: "read";
      /** How long the oldest webhook that is due has waited. */
      webhooksLateSeconds: number;
      /** Undefined before the books were compared for the first time. */
      reconciliation: LastReconciliation | undefined;
    };

/** How the service is doing now. */
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
    log().warn({ error: describeError(error) }, "the status page could not ask the database");
    return { kind: "database_unavailable" };
  }
}
