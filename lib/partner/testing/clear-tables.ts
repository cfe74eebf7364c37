import { partner } from "../process-partner.ts";

/** Empties the tables, and retries after a deadlock with a read left over from the previous test. */
export async function clearTables(...tables: string[]): Promise<void> {
  await partner().inTransaction((tx) => tx.execute(`truncate ${tables.join(", ")}`));
}
