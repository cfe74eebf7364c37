import { log } from "../../kit/log.ts";
import { countSetAside } from "../metrics.ts";
import { database } from "../storage/database.ts";
import { type Quarantined, quarantineRows } from "../storage/quarantine.ts";
import type { QuarantinedKind } from "../storage/schema.ts";

/**
 * Sets rows aside that could not be dealt with, so that they harm nothing beside them, and tells the operator. They are tried
 * again after a pause that grows, an hour at most.
 */
export async function setAside(kind: QuarantinedKind, rows: Quarantined[]): Promise<void> {
  if (rows.length === 0) return;
  reportSetAside(kind, await quarantineRows(database(), kind, rows));
}

/** Tells the operator of rows that a transaction has set aside: a log line and a count for each. For when it is committed. */
export function reportSetAside(kind: QuarantinedKind, rows: Quarantined[]): void {
  for (const { id, reason } of rows) {
    log().error({ kind, id, reason }, "a row could not be dealt with and is set aside");
    countSetAside(kind);
  }
}
