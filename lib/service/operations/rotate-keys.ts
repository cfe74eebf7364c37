import type { Keyring } from "../../kit/encryption.ts";
import { reencryptColumn } from "../../kit/reencrypt-column.ts";
import { serviceConfig } from "../config.ts";
import { servicePool } from "../storage/database.ts";
import { encryptedColumns } from "../storage/encrypted-columns.ts";

/** Encrypts all that the service keeps encrypted with the current key, and returns how many texts had an older one. After that, older keys are not needed. */
export async function rotateServiceKeys({ keyring }: { keyring: Keyring } = serviceConfig()): Promise<number> {
  let changed = 0;
  for (const column of encryptedColumns) {
    changed += await reencryptColumn(servicePool(), column, keyring);
  }
  return changed;
}
