import { reencryptColumns, requireSameKeys } from "../../kit/reencrypt-column.ts";
import type { Keyring } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { database, servicePool } from "../storage/database.ts";
import {
  encryptedColumns,
  recordCurrentKey,
  recordKeyRotation,
  recordKeyRotationFailure,
  webhookSecrets,
} from "../storage/encryption-keys.ts";

/** Throws if a configured key isn't the one that the database knows by its id. */
export async function requireOwnKeys(): Promise<void> {
  const { keyring } = serviceConfig();
  await requireSameKeys(servicePool(), webhookSecrets, { keyring, setting: "SERVICE_ENCRYPTION_KEYS" });
}

/** Records when the current key came into use, for the alerts on its age and rotation. Called when a process starts. */
export async function recordEncryptionKey(): Promise<void> {
  await recordCurrentKey(database(), serviceConfig().keyring[0].id);
}

/**
 * Re-encrypts everything with the current key and returns how many values had an older one. Once a run returns 0, older
 * keys can be removed. Records success and failure.
 */
export async function rotateServiceKeys({ keyring }: { keyring: Keyring } = serviceConfig()): Promise<number> {
  const [{ id }] = keyring;
  await recordCurrentKey(database(), id);
  let changed: number;
  try {
    changed = await reencryptColumns(servicePool(), encryptedColumns, keyring);
  } catch (error) {
    await recordKeyRotationFailure(database(), id).catch(() => {});
    throw error;
  }
  // If anything changed, a process that still uses an older key may have written more.
  if (changed === 0) await recordKeyRotation(database(), id);
  return changed;
}
