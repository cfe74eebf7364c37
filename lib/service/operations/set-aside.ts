import { log } from "../../kit/log.ts";
import { countSetAside } from "../metrics.ts";
import { database } from "../storage/database.ts";
import { type Quarantined, quarantineRows } from "../storage/quarantine.ts";
import type { QuarantinedKind } from "../storage/schema.ts";

/**
 * Sets rows aside that could not be processed, so that they hold up nothing else, and reports them. They are tried
 * again after a pause that grows, an hour at most.
 */
export async function setAside(kind: QuarantinedKind, rows: Quarantined[]): Promise<void> {
  if (rows.length === 0) return;
  reportSetAside(kind, await quarantineRows(database(), kind, rows));
}

/** Reports rows that a committed transaction has set aside: a log line and a count for each. */
export function reportSetAside(kind: QuarantinedKind, rows: Quarantined[]): void {
  for (const { id, reason } of rows) {
    log().error({ kind, id, reason }, "a row could not be dealt with and is set aside");
    countSetAside(kind);
  }
}
