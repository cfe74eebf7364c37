import { database } from "../storage/database.ts";
import { deleteOldRows } from "../storage/sweep.ts";

const batchSize = 2000;
// A webhook that is delivered again must still be recognized, and a service may retry for days.
const keptDays = 30;

/** Deletes what ended long ago (attempts, texts, sign-in challenges, webhook receipts, entries of the inspector), in batches that commit by themselves. */
export async function sweep(): Promise<void> {
  while ((await deleteOldRows(database(), { batchSize, keptDays })) === batchSize);
}
