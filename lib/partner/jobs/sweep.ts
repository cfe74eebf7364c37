import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import { deleteOldRows } from "../storage/sweep.ts";

const batchSize = 2000;

/** Deletes what ended long ago (attempts, texts, sign-in challenges, webhook receipts, entries of the inspector), in batches that commit by themselves. */
export async function sweep(): Promise<void> {
  const { endedKeptDays: keptDays } = partnerConfig();
  while ((await deleteOldRows(database(), { batchSize, keptDays })) === batchSize);
}
