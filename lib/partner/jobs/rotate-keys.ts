import type { Keyring } from "../../kit/encryption.ts";
import { reencryptColumn } from "../../kit/reencrypt-column.ts";
import type { Partner } from "../partner.ts";
import { encryptedColumns } from "../storage/encrypted-columns.ts";

/** Brings all that Harbor keeps encrypted under the current key, and returns how many texts were not. Once it returned, older keys are of no use. */
export async function rotatePartnerKeys(
  partner: Partner,
  { keyring }: { keyring: Keyring } = partner.config,
): Promise<number> {
  let changed = 0;
  for (const column of encryptedColumns) {
    changed += await reencryptColumn(partner.pool, column, keyring);
  }
  return changed;
}
