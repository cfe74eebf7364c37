import { eq, sql } from "drizzle-orm";
import type { EncryptedColumn } from "../../kit/reencrypt-column.ts";
import type { Db } from "./database.ts";
import { encryptionKeys } from "./schema.ts";

/** The age of the current key, and whether everything has been re-encrypted with it. */
export type KeyAge = { ageSeconds: number; isRotated: boolean; hasFailed: boolean };

/** Records when this key first became current. */
export async function noteCurrentKey(db: Db, keyId: string): Promise<void> {
  await db.insert(encryptionKeys).values({ keyId }).onConflictDoNothing();
}

/** Records that nothing is encrypted with any other key. */
export async function noteKeyRotated(db: Db, keyId: string): Promise<void> {
  const change = { rotatedRealAt: sql`now()`, failedRealAt: null };
  await db
    .insert(encryptionKeys)
    .values({ keyId, ...change })
    .onConflictDoUpdate({ target: encryptionKeys.keyId, set: change });
}

/** Records that re-encrypting with this key failed. */
export async function noteKeyRotationFailed(db: Db, keyId: string): Promise<void> {
  const change = { failedRealAt: sql`now()` };
  await db
    .insert(encryptionKeys)
    .values({ keyId, ...change })
    .onConflictDoUpdate({ target: encryptionKeys.keyId, set: change });
}

/** The recorded state of a key; undefined when no process has started with it. */
export async function findKeyAge(db: Db, keyId: string): Promise<KeyAge | undefined> {
  const [row] = await db
    .select({
      ageSeconds: sql<number>`extract(epoch from now() - ${encryptionKeys.currentSinceReal})::float8`,
      isRotated: sql<boolean>`${encryptionKeys.rotatedRealAt} is not null`,
      hasFailed: sql<boolean>`${encryptionKeys.failedRealAt} is not null`,
    })
    .from(encryptionKeys)
    .where(eq(encryptionKeys.keyId, keyId));
  return row;
}

/** Every encrypted column. A test compares this list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "clients", key: "id", column: "customer_endpoint_secret_encrypted" },
  { table: "webhook_endpoints", key: "client_id", column: "secret_encrypted" },
  { table: "webhook_endpoints", key: "client_id", column: "previous_secret_encrypted" },
  { table: "user_intents", key: "id", column: "identity_encrypted" },
  // Includes photo IDs, hence the small batches.
  { table: "identity_submissions", key: "id", column: "content_encrypted", batchSize: 10 },
  { table: "messages", key: "id", column: "text_encrypted" },
];
