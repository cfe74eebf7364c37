import { eq, sql } from "drizzle-orm";
import type { EncryptedColumn } from "../../kit/reencrypt-column.ts";
import type { Db } from "./database.ts";
import { encryptionKeys } from "./schema.ts";

/** How long a key has been the current one, and how far everything has come under it. */
export type KeyAge = { ageSeconds: number; isRotated: boolean; hasFailed: boolean };

/** Notes that this key is the current one, from its first time on. */
export async function noteCurrentKey(db: Db, keyId: string): Promise<void> {
  await db.insert(encryptionKeys).values({ keyId }).onConflictDoNothing();
}

/** Notes that nothing is left under any other key. */
export async function noteKeyRotated(db: Db, keyId: string): Promise<void> {
  const change = { rotatedRealAt: sql`now()`, failedRealAt: null };
  await db
    .insert(encryptionKeys)
    .values({ keyId, ...change })
    .onConflictDoUpdate({ target: encryptionKeys.keyId, set: change });
}

/** Notes that bringing everything under this key broke off. */
export async function noteKeyRotationFailed(db: Db, keyId: string): Promise<void> {
  const change = { failedRealAt: sql`now()` };
  await db
    .insert(encryptionKeys)
    .values({ keyId, ...change })
    .onConflictDoUpdate({ target: encryptionKeys.keyId, set: change });
}

/** What is noted of a key; undefined when no process has started with it. */
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

/** Every column of the service that is encrypted at rest. A test compares this list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "clients", key: "id", column: "customer_endpoint_secret_encrypted" },
  { table: "webhook_endpoints", key: "client_id", column: "secret_encrypted" },
  { table: "webhook_endpoints", key: "client_id", column: "previous_secret_encrypted" },
  { table: "user_intents", key: "id", column: "identity_encrypted" },
  // Photo IDs are among them.
  { table: "identity_submissions", key: "id", column: "content_encrypted", batchSize: 10 },
  { table: "messages", key: "id", column: "text_encrypted" },
];
