import type { Partner } from "../partner.ts";
import { deleteOldRows } from "../storage/sweep.ts";

const batchSize = 2000;
// A webhook that is delivered again must still be recognized, and a service may retry for days.
const keptDays = 30;

/** Deletes what ended long ago (attempts, texts, sign-in challenges, webhook receipts, entries of the inspector), in batches that commit by themselves. */
export async function sweep(partner: Partner): Promise<void> {
  while ((await deleteOldRows(partner.db, { batchSize, keptDays })) === batchSize);
}
