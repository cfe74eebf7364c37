/** A table that holds rows of clients, and how a client's are found and copied. */
export type ClientTable = {
  name: string;
  /** A condition on a row `t` of the table: it is of the client $1. */
  ofClient: string;
  /**
   * Whether its rows are copied while the client is still served, and once more those that were written meanwhile. Where rows go
   * as quickly as they come they are copied once, when nothing changes any more; those are never very many.
   */
  isCopiedEarly: boolean;
  /** How many rows go together. Few where one can be large. */
  rowsAtOnce: number;
};

const byColumn = "t.client_id = $1";
const ofUser = "t.user_id in (select id from users where client_id = $1)";
const ofAccount = "t.account_id in (select id from accounts where client_id = $1)";
const ofDelivery = "t.delivery_id in (select id from deliveries where client_id = $1)";

/**
 * Every table with rows of a client, except `clients` itself. A table comes after those by which its rows are found, so the
 * rows are deleted in the opposite order. A test compares this list with the catalog.
 */
export const clientTables: ClientTable[] = [
  early("user_intents"),
  early("users"),
  early("identity_submissions", ofUser, 10),
  late("screenings"),
  early("identity_verification_tokens"),
  early("visits"),
  late("failed_verifications"),
  early("messages"),
  early("authorizations"),
  early("authorization_codes"),
  early("access_tokens"),
  early("refresh_tokens"),
  early("accounts"),
  late("account_parts", ofAccount),
  early("routines"),
  early("transfers"),
  late("holds", ofAccount),
  early("entries", ofAccount),
  early("idempotency_keys"),
  early("deliveries", byColumn, 500),
  early("delivery_attempts", ofDelivery),
  late("faults"),
  late("webhook_faults"),
  late("sandbox_events", byColumn, 500),
  late("webhook_endpoints"),
];

function early(name: string, ofClient = byColumn, rowsAtOnce = 2000): ClientTable {
  return { name, ofClient, isCopiedEarly: true, rowsAtOnce };
}

function late(name: string, ofClient = byColumn, rowsAtOnce = 2000): ClientTable {
  return { name, ofClient, isCopiedEarly: false, rowsAtOnce };
}
