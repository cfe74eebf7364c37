import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  interval,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { RejectionReason } from "../../contract/people.ts";
import type { RoutineStatus, TransferStatus, UserIntentStatus, UserStatus } from "../../contract/statuses.ts";
import type { WebhookFaultKind, WebhookType } from "../../contract/webhooks.ts";
import type { MessageOutcome } from "../../kit/outbox.ts";
import type { IdentitySubmissionKind, SubmissionProblem } from "../domain/identity-submission.ts";
import type { SettlementOrderState } from "../domain/settlement-orders.ts";

// All tables of the service except the sandbox's own (../sandbox/storage/schema.ts). Times that lifetimes depend on are
// the client's (Decision D15); columns named *_real_at are real time, and due times are moved with the client's clock.
// References of tokens, routines, transfers, holds, entries, deliveries and idempotency keys are checked by triggers
// once per statement, instead of by foreign keys.

export const quarantinedKinds = [
  "transfer",
  "settlement_order",
  "webhook_endpoint",
  "delivery",
  "screening",
  "sweep",
  "photo_deletion",
] as const;
export type QuarantinedKind = (typeof quarantinedKinds)[number];

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const time = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const cents = (name: string) => bigint(name, { mode: "number" });
const ofClient = () =>
  text("client_id")
    .notNull()
    .references(() => clients.id);
const ofUser = () =>
  uuid("user_id")
    .notNull()
    .references(() => users.id);

/** Client applications. Secrets that are only compared are hashed, the others encrypted. */
export const clients = pgTable("clients", {
  id: text().primaryKey(),
  name: text().notNull(),
  secretHash: bytea("secret_hash").notNull(),
  // The secret before a rotation, valid until this real time.
  previousSecretHash: bytea("previous_secret_hash"),
  previousSecretEndsRealAt: time("previous_secret_ends_real_at"),
  redirectUris: text("redirect_uris").array().notNull(),
  isTrustedAuthenticationEnabled: boolean("is_trusted_authentication_enabled").notNull().default(false),
  provider: text().notNull(),
  customersUrl: text("customers_url"),
  customerEndpointSecretEncrypted: text("customer_endpoint_secret_encrypted"),
  businessProfileId: uuid("business_profile_id").notNull(),
  clockOffset: interval("clock_offset").notNull().default("0"),
  // Whether the API's request hook wraps this client's calls. Always false in production.
  isIntercepted: boolean("has_faults").notNull().default(false),
  // In real time. A disabled client's credentials and tokens are refused.
  disabledAt: time("disabled_at"),
  createdAt: time("created_at").notNull().defaultNow(),
});

/** Which cell each client is in. Only the first cell's table is used, for all cells. */
export const clientCells = pgTable("client_cells", {
  clientId: text("client_id").primaryKey(),
  cell: integer().notNull(),
});

/**
 * Which node each cell is on. Only the first cell's table is used, for all cells. `hosts` is as in an address; if it's empty
 * or there's no row, the cell is on the first cell's node. `other_hosts` is the other node of an unfinished move.
 */
export const cellNodes = pgTable("cell_nodes", {
  cell: integer().primaryKey(),
  hosts: text().notNull(),
  otherHosts: text("other_hosts"),
});

/** Webhook endpoints: one per client, without a url until it's set. Two secrets during a rotation. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    clientId: text("client_id")
      .primaryKey()
      .references(() => clients.id),
    url: text(),
    secretEncrypted: text("secret_encrypted").notNull(),
    previousSecretEncrypted: text("previous_secret_encrypted"),
    previousSecretExpiresAt: time("previous_secret_expires_at"),
    failingSince: time("failing_since"),
    failingSinceRealAt: time("failing_since_real_at"),
    failures: integer().notNull().default(0),
    failedDeliveries: integer("failed_deliveries").notNull().default(0),
    // Set while the endpoint fails: only probes are sent then.
    probeRealAt: time("probe_real_at"),
    failedProbes: integer("failed_probes").notNull().default(0),
    // Whether deliveries may be parked. Never false while one is.
    hasWaiting: boolean("has_waiting").notNull().default(false),
    disabledAt: time("disabled_at"),
  },
  (table) => [
    index("webhook_endpoints_to_probe")
      .on(table.probeRealAt)
      .where(sql`has_waiting and probe_real_at is not null and url is not null and disabled_at is null`),
    index("webhook_endpoints_to_revive")
      .on(table.clientId)
      .where(sql`has_waiting and probe_real_at is null and url is not null and disabled_at is null`),
  ],
);

/** People to onboard. `identity_encrypted` holds ssn, date of birth, address and IP address as JSON. */
export const userIntents = pgTable(
  "user_intents",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    status: text().$type<UserIntentStatus>().notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    email: text().notNull(),
    phone: text().notNull(),
    identityEncrypted: text("identity_encrypted").notNull(),
    metadata: jsonb().$type<Record<string, string>>(),
    rejectionReasons: jsonb("rejection_reasons").$type<RejectionReason[]>().notNull().default([]),
    userId: uuid("user_id"),
    // Whether it was decided before its conversion, so that its user's decision leaves it alone (Decision D7).
    wasDecided: boolean("was_decided").notNull().default(false),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    index("user_intents_by_client").on(table.clientId, table.id),
    index("user_intents_pending").on(table.clientId, table.id).where(sql`status = 'pending'`),
    index("user_intents_by_user").on(table.userId).where(sql`user_id is not null`),
    check(
      "user_intents_converted_has_user",
      sql`case when user_id is null then status <> 'converted_to_user' else status in ('converted_to_user', 'approved', 'rejected') end`,
    ),
  ],
);

/** What a person submitted on the authorization pages because screening asked for it, once per kind (Decision D9). */
export const identitySubmissions = pgTable(
  "identity_submissions",
  {
    id: uuid().primaryKey(),
    userId: ofUser(),
    kind: text().$type<IdentitySubmissionKind>().notNull(),
    // For a photo ID stored by a provider, the key to its content instead. Both are null once it's deleted.
    contentEncrypted: text("content_encrypted"),
    photoKeyEncrypted: text("photo_key_encrypted"),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("identity_submissions_once").on(table.userId, table.kind),
    check("identity_submissions_stored_once", sql`num_nonnulls(content_encrypted, photo_key_encrypted) <= 1`),
  ],
);

/**
 * Photo IDs that a provider must delete. Before the provider gets a photo, the upload schedules its deletion here. Storing
 * the submission removes that row.
 */
export const photoDeletions = pgTable(
  "photo_deletions",
  {
    // The submission's id.
    id: uuid().primaryKey(),
    dueRealAt: time("due_real_at").notNull(),
    // Set while a process asks the provider, and kept afterwards. Null if none has asked yet.
    leasedUntilRealAt: time("leased_until_real_at"),
  },
  (table) => [index("photo_deletions_due").on(table.dueRealAt)],
);

/** An intent's pending screenings, of its original identity or a later submission. Deleted when decided. */
export const screenings = pgTable(
  "screenings",
  {
    userIntentId: uuid("user_intent_id")
      .primaryKey()
      .references(() => userIntents.id),
    clientId: ofClient(),
    dueRealAt: time("due_real_at").notNull(),
    identitySubmissionId: uuid("identity_submission_id").references(() => identitySubmissions.id),
    // Set while a process asks the provider.
    leasedUntilRealAt: time("leased_until_real_at"),
    // The provider's reference, if it decides later.
    reference: text(),
    polls: smallint().notNull().default(0),
  },
  (table) => [
    index("screenings_due").on(table.dueRealAt, table.clientId),
    index("screenings_by_submission").on(table.identitySubmissionId).where(sql`identity_submission_id is not null`),
  ],
);

/** Onboarded people, and each client's business user. A phone belongs to one user per client (Decision D6). */
export const users = pgTable(
  "users",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    userType: text("user_type").$type<"personal" | "business">().notNull(),
    status: text().$type<UserStatus>().notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    email: text().notNull(),
    phone: text().notNull(),
    metadata: jsonb().$type<Record<string, string>>(),
    rejectionReasons: jsonb("rejection_reasons").$type<RejectionReason[]>().notNull().default([]),
    businessProfileId: uuid("business_profile_id"),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("users_phone").on(table.clientId, table.phone),
    index("users_by_client").on(table.clientId, table.id),
    index("users_undecided").on(table.clientId, table.id).where(sql`status in ('pending', 'retry', 'document')`),
    index("users_business").on(table.clientId).where(sql`user_type = 'business'`),
    check("users_business_has_profile", sql`(user_type = 'business') = (business_profile_id is not null)`),
  ],
);

/** Partner identity verification tokens: valid for one minute and one use. */
export const identityVerificationTokens = pgTable(
  "identity_verification_tokens",
  {
    tokenHash: bytea("token_hash").primaryKey(),
    clientId: ofClient(),
    userIntentId: uuid("user_intent_id").references(() => userIntents.id),
    userId: uuid("user_id").references(() => users.id),
    customerId: text("customer_id").notNull(),
    lastAuthenticationAt: time("last_authentication_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    spentAt: time("spent_at"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    index("identity_verification_tokens_ending").on(table.clientId, table.expiresAt),
    check("identity_verification_tokens_one_person", sql`num_nonnulls(user_intent_id, user_id) = 1`),
  ],
);

/** Visits to the authorization pages, with the hash of the secret in their cookie (Decision D9). */
export const visits = pgTable(
  "visits",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    secretHash: bytea("secret_hash").notNull(),
    userIntentId: uuid("user_intent_id").references(() => userIntents.id),
    userId: uuid("user_id").references(() => users.id),
    redirectUri: text("redirect_uri").notNull(),
    state: text(),
    codeChallenge: text("code_challenge"),
    step: text().$type<"verification_code" | "consent" | "finished">().notNull(),
    verificationCodeHash: bytea("verification_code_hash"),
    verificationCodeTries: smallint("verification_code_tries").notNull().default(0),
    verificationCodeExpiresAt: time("verification_code_expires_at"),
    verificationCodeSentAt: time("verification_code_sent_at"),
    // The text with the code.
    verificationMessageId: uuid("verification_message_id"),
    authenticatedAt: time("authenticated_at"),
    problems: text().array().$type<SubmissionProblem[]>().notNull().default([]),
    expiresAt: time("expires_at").notNull(),
    finishedAt: time("finished_at"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    index("visits_ending").on(table.clientId, table.expiresAt),
    check("visits_one_person", sql`num_nonnulls(user_intent_id, user_id) = 1`),
  ],
);

/** Wrong verification codes per phone, in real time, so that moving a clock doesn't allow more guesses. */
export const failedVerifications = pgTable(
  "failed_verifications",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    phone: text().notNull(),
    failedRealAt: time("failed_real_at").notNull().defaultNow(),
  },
  (table) => [index("failed_verifications_by_phone").on(table.clientId, table.phone, table.failedRealAt)],
);

/**
 * Texts to people, encrypted because they contain verification codes. A sandbox's pages show its texts; others wait for the
 * carrier (lib/kit/outbox.ts) until their code expires.
 */
export const messages = pgTable(
  "messages",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    phone: text().notNull(),
    textEncrypted: text("text_encrypted").notNull(),
    outcome: text().$type<MessageOutcome | "shown">().notNull(),
    attempts: smallint().notNull().default(0),
    nextAttemptRealAt: time("next_attempt_real_at"),
    endsRealAt: time("ends_real_at").notNull(),
    carrierReference: text("carrier_reference"),
    sentAt: time("sent_at").notNull(),
  },
  (table) => [
    index("messages_waiting").on(table.nextAttemptRealAt).where(sql`outcome = 'waiting'`),
    check("messages_waiting_is_scheduled", sql`(outcome = 'waiting') = (next_attempt_real_at is not null)`),
    index("messages_by_phone").on(table.clientId, table.phone, table.id),
    index("messages_by_time").on(table.clientId, table.sentAt),
  ],
);

/**
 * A person's permission for a client, from Authorize until it's revoked. Its codes and tokens are valid only while it
 * is, so revoking changes one row.
 */
export const authorizations = pgTable(
  "authorizations",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    userId: ofUser(),
    revokedAt: time("revoked_at"),
    createdAt: time("created_at").notNull(),
  },
  (table) => [index("authorizations_living").on(table.clientId, table.userId, table.id).where(sql`revoked_at is null`)],
);

/** `redeemed_at` is set by the first exchange by the right client, whether it's granted or burns the code. */
export const authorizationCodes = pgTable(
  "authorization_codes",
  {
    codeHash: bytea("code_hash").primaryKey(),
    authorizationId: uuid("authorization_id")
      .notNull()
      .references(() => authorizations.id),
    clientId: ofClient(),
    userId: ofUser(),
    redirectUri: text("redirect_uri").notNull(),
    codeChallenge: text("code_challenge"),
    expiresAt: time("expires_at").notNull(),
    redeemedAt: time("redeemed_at"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [index("authorization_codes_ending").on(table.clientId, table.expiresAt)],
);

/** The unique index allows one token per user that isn't superseded. */
export const accessTokens = pgTable(
  "access_tokens",
  {
    tokenHash: bytea("token_hash").primaryKey(),
    authorizationId: uuid("authorization_id").notNull(),
    clientId: text("client_id").notNull(),
    userId: uuid("user_id").notNull(),
    expiresAt: time("expires_at").notNull(),
    supersededAt: time("superseded_at"),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("access_tokens_one_current_per_user").on(table.userId).where(sql`superseded_at is null`),
    index("access_tokens_ending").on(table.clientId, table.expiresAt),
  ],
);

/** Usable until they expire, any number of times (published rule). */
export const refreshTokens = pgTable(
  "refresh_tokens",
  {
    tokenHash: bytea("token_hash").primaryKey(),
    authorizationId: uuid("authorization_id").notNull(),
    clientId: text("client_id").notNull(),
    userId: uuid("user_id").notNull(),
    expiresAt: time("expires_at").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [index("refresh_tokens_ending").on(table.clientId, table.expiresAt)],
);

/**
 * Payment instruments. Balance and holds are stored here too, so that one row lock answers "is there enough?". A check
 * makes overdrafts impossible, except for funding accounts: their negative balance is the money that came in through them, and
 * their name says where it came from.
 */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    userId: uuid("user_id").references(() => users.id),
    name: text().notNull(),
    type: text().$type<"wallet" | "operating" | "funding">().notNull(),
    mask: text().notNull(),
    status: text().$type<"open" | "closed">().notNull().default("open"),
    balanceCents: cents("balance_cents").notNull().default(0),
    heldCents: cents("held_cents").notNull().default(0),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    index("accounts_by_user").on(table.userId),
    index("accounts_by_client").on(table.clientId, table.id),
    uniqueIndex("accounts_one_funding_per_name").on(table.clientId, table.name).where(sql`type = 'funding'`),
    check("accounts_available_not_negative", sql`type = 'funding' or balance_cents - held_cents >= 0`),
    check("accounts_held_not_negative", sql`held_cents >= 0`),
    check("accounts_funding_has_no_user", sql`(type = 'funding') = (user_id is null)`),
  ],
);

export const routines = pgTable(
  "routines",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id").notNull(),
    userId: uuid("user_id").notNull(),
    name: text().notNull(),
    status: text().$type<RoutineStatus>().notNull(),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [index("routines_by_user").on(table.userId, table.id)],
);

/** `due_real_at` is when the transfer settles; null if it waits for an operator or a settlement provider. */
export const transfers = pgTable(
  "transfers",
  {
    id: uuid().primaryKey(),
    routineId: uuid("routine_id").notNull(),
    clientId: text("client_id").notNull(),
    userId: uuid("user_id").notNull(),
    sourceId: uuid("source_id").notNull(),
    destinationId: uuid("destination_id").notNull(),
    amountCents: cents("amount_cents").notNull(),
    status: text().$type<TransferStatus>().notNull(),
    failureReason: text("failure_reason"),
    dueRealAt: time("due_real_at"),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("transfers_one_per_routine").on(table.routineId),
    // With the client, so that one client's list reads no row of another's.
    index("transfers_due")
      .on(table.dueRealAt, table.clientId)
      .where(sql`status = 'pending' and due_real_at is not null`),
    // With the status, so that a list of one status reads no other.
    index("transfers_by_user").on(table.userId, table.status, table.id),
    index("transfers_by_destination").on(table.destinationId, table.status, table.id),
    check("transfers_amount_positive", sql`amount_cents > 0`),
    check("transfers_reason_only_when_failed", sql`(failure_reason is not null) = (status = 'failed')`),
  ],
);

/**
 * Orders to the settlement provider, if there is one. Kept for good, because a result may come at any time. Their transfers
 * have no due time.
 */
export const settlementOrders = pgTable(
  "settlement_orders",
  {
    transferId: uuid("transfer_id")
      .primaryKey()
      .references(() => transfers.id),
    clientId: ofClient(),
    state: text().$type<SettlementOrderState>().notNull().default("open"),
    // When to ask the provider next; null for never.
    dueRealAt: time("due_real_at"),
    // Set while a process asks the provider.
    leasedUntilRealAt: time("leased_until_real_at"),
    // The provider's reference, if it settles later.
    reference: text(),
    polls: smallint().notNull().default(0),
    // How long a settled order is polled for a return.
    returnsUntilRealAt: time("returns_until_real_at"),
    // The transfer that moved the money back.
    returnTransferId: uuid("return_transfer_id").references(() => transfers.id),
    // A result that contradicts the state, for an operator.
    contradiction: text(),
    orderedRealAt: time("ordered_real_at").notNull(),
  },
  (table) => [
    index("settlement_orders_due").on(table.dueRealAt, table.clientId).where(sql`due_real_at is not null`),
    // The second condition, always true, keeps claims from scanning this index instead of the next one.
    index("settlement_orders_oldest")
      .on(table.orderedRealAt)
      .where(sql`state = 'open' and ordered_real_at > '-infinity'`),
    index("settlement_orders_open_due").on(table.dueRealAt).where(sql`state = 'open'`),
    uniqueIndex("settlement_orders_by_return").on(table.returnTransferId).where(sql`return_transfer_id is not null`),
    check("settlement_orders_returned_once", sql`(state = 'returned') = (return_transfer_id is not null)`),
    check("settlement_orders_open_is_due", sql`state <> 'open' or due_real_at is not null`),
  ],
);

/** Results for transfers that this database doesn't know, perhaps because it was restored: an operator reviews and deletes them. */
export const unknownSettlementResults = pgTable(
  "unknown_settlement_results",
  {
    transferId: uuid("transfer_id").notNull(),
    kind: text().notNull(),
    reason: text(),
    receivedRealAt: time("received_real_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.transferId, table.kind] })],
);

export const holds = pgTable(
  "holds",
  {
    transferId: uuid("transfer_id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    amountCents: cents("amount_cents").notNull(),
  },
  (table) => [index("holds_by_account").on(table.accountId), check("holds_amount_positive", sql`amount_cents > 0`)],
);

/** Double entry: entries of a posting sum to zero and never change. */
export const entries = pgTable(
  "entries",
  {
    postingId: uuid("posting_id").notNull(),
    accountId: uuid("account_id").notNull(),
    transferId: uuid("transfer_id"),
    amountCents: cents("amount_cents").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.postingId, table.accountId] }),
    index("entries_by_account").on(table.accountId),
    // Funding only, newest first; other entries are found by their transfer.
    index("entries_of_funding").on(table.accountId, table.postingId).where(sql`transfer_id is null`),
    uniqueIndex("entries_transfer_once").on(table.transferId, table.accountId),
    check("entries_amount_not_zero", sql`amount_cents <> 0`),
  ],
);

/** The results of successful requests, stored in their transaction, and voided keys (Decision D13). */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    clientId: text("client_id").notNull(),
    // Empty for a client-level operation.
    userScope: text("user_scope").notNull(),
    operation: text().notNull(),
    key: uuid().notNull(),
    fingerprint: bytea(),
    resourceId: uuid("resource_id"),
    voidedRealAt: time("voided_real_at"),
    createdRealAt: time("created_real_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.clientId, table.userScope, table.operation, table.key] }),
    check(
      "idempotency_keys_used_or_voided",
      sql`num_nonnulls(resource_id, voided_real_at) = 1 and (fingerprint is null) = (resource_id is null)`,
    ),
    index("idempotency_keys_by_age").on(table.createdRealAt),
  ],
);

/**
 * The outbox: one row per webhook, written in the transaction of its change (Decision D14). A pending one is due
 * (`is_due`), scheduled (`next_attempt_real_at`), or parked until its endpoint works. Partitioned by the month in its
 * id.
 */
export const deliveries = pgTable(
  "deliveries",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id").notNull(),
    webhookType: text("webhook_type").$type<WebhookType>().notNull(),
    resourceId: uuid("resource_id").notNull(),
    body: text().notNull(),
    status: text().$type<"pending" | "delivered" | "failed">().notNull().default("pending"),
    attempts: smallint().notNull().default(0),
    nextAttemptRealAt: time("next_attempt_real_at"),
    isDue: boolean("is_due").notNull().default(false),
    leasedUntilRealAt: time("leased_until_real_at"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
    deliveredAt: time("delivered_at"),
    fault: text().$type<WebhookFaultKind>(),
  },
  (table) => [
    // By client, so that a backlog of one doesn't slow down the others.
    index("deliveries_due").on(table.clientId, table.nextAttemptRealAt).where(sql`status = 'pending' and is_due`),
    index("deliveries_falling_due")
      .on(table.nextAttemptRealAt)
      .where(sql`status = 'pending' and not is_due and next_attempt_real_at is not null`),
    index("deliveries_falling_due_by_client")
      .on(table.clientId, table.nextAttemptRealAt)
      .where(sql`status = 'pending' and not is_due and next_attempt_real_at is not null`),
    // The least tried delivery first: it says more about an endpoint than one that failed before.
    index("deliveries_waiting")
      .on(table.clientId, table.attempts, table.id)
      .where(sql`status = 'pending' and next_attempt_real_at is null`),
    index("deliveries_by_client").on(table.clientId, table.id),
  ],
);

/** Attempts: an HTTP status, or an error code if there was none. Partitioned by the delivery's month. */
export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    deliveryId: uuid("delivery_id").notNull(),
    attempt: smallint().notNull(),
    sentRealAt: time("sent_real_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    responseStatus: smallint("response_status"),
    error: text(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.attempt] })],
);

/** Rows that a worker couldn't process, with the time of the next try. Deleted once that succeeds. */
export const quarantine = pgTable(
  "quarantine",
  {
    kind: text().$type<QuarantinedKind>().notNull(),
    // The row's id; the client's for an endpoint, a table's name for a sweep.
    id: text().notNull(),
    reason: text().notNull(),
    failures: integer().notNull().default(1),
    firstFailedRealAt: time("first_failed_real_at").notNull().defaultNow(),
    retryRealAt: time("retry_real_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);

/**
 * How long each worker sleeps, so that only writers of something due earlier notify it. Unlogged: after a crash, every
 * worker looks anyway.
 */
export const sleepingWorkers = pgTable(
  "sleeping_workers",
  {
    channel: text().notNull(),
    workerId: uuid("worker_id").notNull(),
    wakesRealAt: time("wakes_real_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.channel, table.workerId] })],
);

/** Reconciliations of the ledger and their number of problems. Unfinished ones are running or were interrupted. */
export const reconciliations = pgTable("reconciliations", {
  id: uuid().primaryKey(),
  startedRealAt: time("started_real_at").notNull().defaultNow(),
  finishedRealAt: time("finished_real_at"),
  problems: integer(),
});

/** The audit trail of operators, written in the transaction of each change. Append-only, without secrets. */
export const operatorChanges = pgTable(
  "operator_changes",
  {
    id: uuid().primaryKey(),
    clientId: ofClient(),
    action: text().notNull(),
    operator: text().notNull(),
    via: text().$type<"command" | "listener">().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
    // Of incoming money or its reversal, so that nothing is posted twice.
    reference: text(),
    changedRealAt: time("changed_real_at").notNull().defaultNow(),
  },
  (table) => [
    index("operator_changes_by_client").on(table.clientId, table.id),
    uniqueIndex("operator_changes_reference_once")
      .on(table.clientId, table.reference)
      .where(sql`reference is not null`),
  ],
);

/** Every encryption key that was ever current, and the state of its rotation; never the key itself. */
export const encryptionKeys = pgTable("encryption_keys", {
  keyId: text("key_id").primaryKey(),
  currentSinceReal: time("current_since_real").notNull().defaultNow(),
  /** When no value used another key anymore; null if unknown, or if another key was current since. */
  rotatedRealAt: time("rotated_real_at"),
  /** When a rotation to it failed; null if none did, or one has succeeded since. */
  failedRealAt: time("failed_real_at"),
});
