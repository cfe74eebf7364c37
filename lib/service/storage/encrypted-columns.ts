import type { EncryptedColumn } from "../../kit/reencrypt-column.ts";

/** Every column of the service that is encrypted at rest. A test compares this list with the database. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "clients", key: "id", column: "customer_endpoint_secret_encrypted" },
  { table: "webhook_endpoints", key: "client_id", column: "secret_encrypted" },
  { table: "webhook_endpoints", key: "client_id", column: "previous_secret_encrypted" },
  { table: "user_intents", key: "id", column: "identity_encrypted" },
  // Photo IDs are among them.
  { table: "identity_submissions", key: "id", column: "content_encrypted", batchSize: 10 },
  { table: "messages", key: "id", column: "text_encrypted" },
];
