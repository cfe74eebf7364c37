import { type EncryptedColumn, reencryptColumns, requireSameKeys } from "../../kit/reencrypt-column.ts";
import type { Keyring } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";

/** Throws if a key differs from the one that the database knows by the same id. */
export async function requireOwnKeys({ pool, config: { keyring } }: Partner): Promise<void> {
  await requireSameKeys(pool, accessTokens, { keyring, setting: "PARTNER_ENCRYPTION_KEYS" });
}

/** Encrypts everything with the current key and returns how many values changed; older keys can then be removed. */
export function rotatePartnerKeys(
  partner: Partner,
  { keyring }: { keyring: Keyring } = partner.config,
): Promise<number> {
  return reencryptColumns(partner.pool, encryptedColumns, keyring);
}

const accessTokens: EncryptedColumn = {
  table: "token_pairs",
  key: "service_user_id",
  column: "access_token_encrypted",
};

/** Every column that is encrypted at rest; a test compares the list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  accessTokens,
  { table: "token_pairs", key: "service_user_id", column: "refresh_token_encrypted" },
  { table: "sign_in_challenges", key: "id", column: "registration_encrypted" },
  { table: "messages", key: "id", column: "text_encrypted" },
];
