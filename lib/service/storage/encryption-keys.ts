import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import type { EncryptedColumn } from "../../kit/reencrypt-column.ts";
import type { Db } from "./database.ts";
import { encryptionKeys } from "./schema.ts";

/** `isRotated`: everything is encrypted with this key. */
export type KeyAge = { ageSeconds: number; isRotated: boolean; hasFailed: boolean };

/** New values now use this key, so no other key encrypts everything anymore. */
export async function recordCurrentKey(db: Db, keyId: string): Promise<void> {
  await db.insert(encryptionKeys).values({ keyId }).onConflictDoNothing();
  const isOtherRotated = and(ne(encryptionKeys.keyId, keyId), isNotNull(encryptionKeys.rotatedRealAt));
  await db.update(encryptionKeys).set({ rotatedRealAt: null }).where(isOtherRotated);
}

export async function recordKeyRotation(db: Db, keyId: string): Promise<void> {
  const change = { rotatedRealAt: sql`now()`, failedRealAt: null };
  await db.update(encryptionKeys).set(change).where(eq(encryptionKeys.keyId, keyId));
}

export async function recordKeyRotationFailure(db: Db, keyId: string): Promise<void> {
  await db.update(encryptionKeys).set({ failedRealAt: sql`now()` }).where(eq(encryptionKeys.keyId, keyId));
}

/** Undefined if this key was never current. */
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

/** Every client has one. */
export const webhookSecrets: EncryptedColumn = {
  table: "webhook_endpoints",
  key: "client_id",
  column: "secret_encrypted",
};

/** A test compares this list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "clients", key: "id", column: "customer_endpoint_secret_encrypted" },
  webhookSecrets,
  { table: "webhook_endpoints", key: "client_id", column: "previous_secret_encrypted" },
  { table: "user_intents", key: "id", column: "identity_encrypted" },
  // Photo IDs are large.
  { table: "identity_submissions", key: "id", column: "content_encrypted", batchSize: 10 },
  { table: "identity_submissions", key: "id", column: "photo_key_encrypted" },
  { table: "messages", key: "id", column: "text_encrypted" },
];
