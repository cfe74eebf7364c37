import type { Keyring } from "../../kit/encryption.ts";
import { type EncryptedColumn, reencryptColumn } from "../../kit/reencrypt-column.ts";
import type { Partner } from "../partner.ts";

/** Encrypts everything with the current key and returns how many values changed; older keys can then be removed. */
export async function rotatePartnerKeys(
  partner: Partner,
  { keyring }: { keyring: Keyring } = partner.config,
): Promise<number> {
  let changed = 0;
  for (const column of encryptedColumns) changed += await reencryptColumn(partner.pool, column, keyring);
  return changed;
}

/** Every column that is encrypted at rest; a test compares this list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "token_pairs", key: "service_user_id", column: "access_token_encrypted" },
  { table: "token_pairs", key: "service_user_id", column: "refresh_token_encrypted" },
  { table: "sign_in_challenges", key: "id", column: "registration_encrypted" },
  { table: "messages", key: "id", column: "text_encrypted" },
];
