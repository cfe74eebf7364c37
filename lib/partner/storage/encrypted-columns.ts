import type { EncryptedColumn } from "../../kit/reencrypt-column.ts";

/** Every column of Harbor that is encrypted at rest. A test compares this list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "token_pairs", key: "service_user_id", column: "access_token_encrypted" },
  { table: "token_pairs", key: "service_user_id", column: "refresh_token_encrypted" },
  { table: "sign_in_challenges", key: "id", column: "registration_encrypted" },
  { table: "texts", key: "id", column: "text_encrypted" },
];
