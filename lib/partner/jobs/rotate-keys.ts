import type { Keyring } from "../../kit/encryption.ts";
import { reencryptColumn } from "../../kit/reencrypt-column.ts";
import { partnerConfig } from "../config.ts";
import { partnerPool } from "../storage/database.ts";
import { encryptedColumns } from "../storage/encrypted-columns.ts";

/** Brings all that Harbor keeps encrypted under the current key, and returns how many texts were not. Once it returned, older keys are of no use. */
export async function rotatePartnerKeys({ keyring }: { keyring: Keyring } = partnerConfig()): Promise<number> {
  let changed = 0;
  for (const column of encryptedColumns) {
    changed += await reencryptColumn(partnerPool(), column, keyring);
  }
  return changed;
}
