import type { Keyring } from "../../kit/encryption.ts";
import { reencryptColumn } from "../../kit/reencrypt-column.ts";
import { serviceConfig } from "../config.ts";
import { servicePool } from "../storage/database.ts";
import { encryptedColumns } from "../storage/encrypted-columns.ts";

/** Brings all that the service keeps encrypted under the current key, and returns how many texts were not. Once it returned, older keys are of no use. */
export async function rotateServiceKeys({ keyring }: { keyring: Keyring } = serviceConfig()): Promise<number> {
  let changed = 0;
  for (const column of encryptedColumns) {
    changed += await reencryptColumn(servicePool(), column, keyring);
  }
  return changed;
}
