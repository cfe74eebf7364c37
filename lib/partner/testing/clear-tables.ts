import { partner } from "../process-partner.ts";

/** Empties the tables, retried after a deadlock with a read that outlived the test before. */
export async function clearTables(...tables: string[]): Promise<void> {
  await partner().inTransaction((tx) => tx.execute(`truncate ${tables.join(", ")}`));
}
