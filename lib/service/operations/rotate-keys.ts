import type { Keyring } from "../../kit/encryption.ts";
import { reencryptColumn } from "../../kit/reencrypt-column.ts";
import { serviceConfig } from "../config.ts";
import { database, servicePool } from "../storage/database.ts";
import { encryptedColumns, noteKeyRotated, noteKeyRotationFailed } from "../storage/encryption-keys.ts";

/** Encrypts all that the service keeps encrypted with the current key, and returns how many texts had an older one. After a run that returns 0, older keys are not needed; that one, and one that fails, is noted. */
export async function rotateServiceKeys({ keyring }: { keyring: Keyring } = serviceConfig()): Promise<number> {
  const [{ id }] = keyring;
  let changed = 0;
  try {
    for (const column of encryptedColumns) {
      changed += await reencryptColumn(servicePool(), column, keyring);
    }
  } catch (error) {
    await noteKeyRotationFailed(database(), id).catch(() => {});
    throw error;
  }
  // While something was changed, a process that still had the older key first may have written more.
  if (changed === 0) await noteKeyRotated(database(), id);
  return changed;
}
