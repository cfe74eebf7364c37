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
import type { IdentitySubmissionKind, SubmissionProblem } from "../domain/identity-submission.ts";

// Every table of the service on one page, but for the sandbox's own (../sandbox/storage/schema.ts). Times that a lifetime depends on are the client's (now() plus
// clients.clock_offset, Decision D15); columns named *_real_at are real time. When something is due is kept as real time
// too, and moved when the client's clock is. What access and refresh tokens, routines, transfers, holds,
// entries, deliveries and idempotency keys refer to has no foreign key: triggers check it once per statement.

/** The kinds of rows that a worker sets aside when one of them alone cannot be dealt with. */
export const quarantinedKinds = ["transfer", "webhook_endpoint", "delivery", "screening", "sweep"] as const;
export type QuarantinedKind = (typeof quarantinedKinds)[number];

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const time = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const cents = (name: string) => bigint(name, { mode: "number" });

/** The client applications. Secrets are hashed when only compared, encrypted when the service must show them to others. */
export const clients = pgTable("clients", {
  id: text().primaryKey(),
  name: text().notNull(),
  secretHash: bytea("secret_hash").notNull(),
  // The secret before a rotation, which counts until then, in real time.
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
  // In real time. From then on none of its credentials and tokens counts.
  disabledAt: time("disabled_at"),
  createdAt: time("created_at").notNull().defaultNow(),
});

/** Where a client's webhooks go: one place per client, nowhere until it names a url. Two secrets while one is rotated. */
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
    // Different deliveries that failed since the last success, each counted once.
    failedDeliveries: integer("failed_deliveries").notNull().default(0),
    // Set while it fails as a whole: from then on one of its deliveries may be attempted, and no other.
    probeRealAt: time("probe_real_at"),
    failedProbes: integer("failed_probes").notNull().default(0),
    // Whether deliveries may be waiting for it. Never false while one is.
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

/** Who is to be onboarded. `identity_encrypted` holds ssn, date of birth, address and ip address as encrypted JSON. */
export const userIntents = pgTable(
  "user_intents",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    status: text().$type<UserIntentStatus>().notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    email: text().notNull(),
    phone: text().notNull(),
    identityEncrypted: text("identity_encrypted").notNull(),
    metadata: jsonb().$type<Record<string, string>>(),
    rejectionReasons: jsonb("rejection_reasons").$type<RejectionReason[]>().notNull().default([]),
    userId: uuid("user_id"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    index("user_intents_by_client").on(table.clientId, table.id),
    index("user_intents_by_user").on(table.userId).where(sql`user_id is not null`),
    // Converted, and perhaps decided since.
    check(
      "user_intents_converted_has_user",
      sql`case when user_id is null then status <> 'converted_to_user' else status in ('converted_to_user', 'approved', 'rejected') end`,
    ),
  ],
);

/** What a person sent in on the authorization pages because a screening asked for it: once of each kind (Decision D9). */
export const identitySubmissions = pgTable(
  "identity_submissions",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    // The status that asked for it: corrected details as JSON, or the bytes of a photo ID.
    kind: text().$type<IdentitySubmissionKind>().notNull(),
    contentEncrypted: text("content_encrypted").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [uniqueIndex("identity_submissions_once").on(table.userId, table.kind)],
);

/**
 * A decision that is still to be made about an intent (or about the user it became), on what it was created with or on a
 * later submission. Gone once it is made.
 */
export const screenings = pgTable(
  "screenings",
  {
    userIntentId: uuid("user_intent_id")
      .primaryKey()
      .references(() => userIntents.id),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    dueRealAt: time("due_real_at").notNull(),
    identitySubmissionId: uuid("identity_submission_id").references(() => identitySubmissions.id),
  },
  (table) => [index("screenings_due").on(table.dueRealAt, table.clientId)],
);

/** Onboarded people, and the business user of each client. A phone belongs to one user per client (Decision D6). */
export const users = pgTable(
  "users",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
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
    // A client has one, beside any number of people; only the business orders transfers.
    index("users_business").on(table.clientId).where(sql`user_type = 'business'`),
    check("users_business_has_profile", sql`(user_type = 'business') = (business_profile_id is not null)`),
  ],
);

/** Partner identity verification tokens: one minute, one use. */
export const identityVerificationTokens = pgTable(
  "identity_verification_tokens",
  {
    tokenHash: bytea("token_hash").primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
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

/** One visit to the authorization pages. Its cookie holds only a secret whose hash stands here (Decision D9). */
export const visits = pgTable(
  "visits",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
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
    authenticatedAt: time("authenticated_at"),
    // What was wrong with the last answer to the present step, in words and never the answer itself.
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

/** Wrong verification codes per phone, in real time: what guessing costs must not depend on a movable clock. */
export const failedVerifications = pgTable(
  "failed_verifications",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    phone: text().notNull(),
    failedRealAt: time("failed_real_at").notNull().defaultNow(),
  },
  (table) => [index("failed_verifications_by_phone").on(table.clientId, table.phone, table.failedRealAt)],
);

/** Texts sent by the service. They hold verification codes, so they are encrypted too. */
export const messages = pgTable(
  "messages",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    phone: text().notNull(),
    textEncrypted: text("text_encrypted").notNull(),
    sentAt: time("sent_at").notNull(),
  },
  (table) => [
    index("messages_by_phone").on(table.clientId, table.phone, table.id),
    index("messages_by_time").on(table.clientId, table.sentAt),
  ],
);

/**
 * What a person allowed a client to do, from one Authorize to its end. Every code and token belongs to one and lives no
 * longer: `revoked_at` here ends them all, and none of them is touched.
 */
export const authorizations = pgTable(
  "authorizations",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    revokedAt: time("revoked_at"),
    createdAt: time("created_at").notNull(),
  },
  (table) => [index("authorizations_living").on(table.clientId, table.userId, table.id).where(sql`revoked_at is null`)],
);

/** Authorization codes. `redeemed_at` is set by the first exchange that names the right client, whether granted or burned. */
export const authorizationCodes = pgTable(
  "authorization_codes",
  {
    codeHash: bytea("code_hash").primaryKey(),
    authorizationId: uuid("authorization_id")
      .notNull()
      .references(() => authorizations.id),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    redirectUri: text("redirect_uri").notNull(),
    codeChallenge: text("code_challenge"),
    expiresAt: time("expires_at").notNull(),
    redeemedAt: time("redeemed_at"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [index("authorization_codes_ending").on(table.clientId, table.expiresAt)],
);

/** Access tokens. At most one per user is not superseded: the index enforces it. */
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

/** Refresh tokens: usable until they expire, however often (published rule). */
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
 * Payment instruments. Balance and holds are kept beside the entries so that one row lock answers "is there enough?";
 * the check makes an overdraft impossible whatever the code does. Only a funding account may go below zero: what it lacks is the
 * money that came in through it, and its name says where from.
 */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
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

/** Book transfer routines, each with its one transfer. */
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

/** Transfers. `due_real_at` is when settlement takes it up; null waits for somebody's decision. */
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
    // With the client, so that a list of one client's reads no row of another's.
    index("transfers_due")
      .on(table.dueRealAt, table.clientId)
      .where(sql`status = 'pending' and due_real_at is not null`),
    // With the status, so that a list of one status walks past no other.
    index("transfers_by_user").on(table.userId, table.status, table.id),
    index("transfers_by_destination").on(table.destinationId, table.status, table.id),
    check("transfers_amount_positive", sql`amount_cents > 0`),
    check("transfers_reason_only_when_failed", sql`(failure_reason is not null) = (status = 'failed')`),
  ],
);

/** The money set aside for one pending transfer; the row goes when the transfer ends. */
export const holds = pgTable(
  "holds",
  {
    transferId: uuid("transfer_id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    amountCents: cents("amount_cents").notNull(),
  },
  (table) => [index("holds_by_account").on(table.accountId), check("holds_amount_positive", sql`amount_cents > 0`)],
);

/** Double entry: what moves together shares a posting, and every posting sums to zero. Entries never change. */
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
    // What was added by hand, newest first; all else is found by its transfer.
    index("entries_of_funding").on(table.accountId, table.postingId).where(sql`transfer_id is null`),
    uniqueIndex("entries_transfer_once").on(table.transferId, table.accountId),
    check("entries_amount_not_zero", sql`amount_cents <> 0`),
  ],
);

/**
 * What idempotency keys stand for: the success of their request, kept in the transaction that did the work, or nothing for
 * good since they were voided (Decision D13).
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    clientId: text("client_id").notNull(),
    // The empty text where the operation is the client's own and not a user's.
    userScope: text("user_scope").notNull(),
    operation: text().notNull(),
    key: uuid().notNull(),
    fingerprint: bytea(),
    // What the request created; its answer is written from that row.
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
 * The outbox: one row per webhook, written in the transaction of the change that it announces (Decision D14). A pending one
 * is due (`is_due`), or falls due at `next_attempt_real_at`, or has no such time and waits for its endpoint to work.
 * Partitioned by the month in its id.
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
    // What a sandbox did to this delivery on purpose; always null in production.
    fault: text().$type<WebhookFaultKind>(),
  },
  (table) => [
    // By client, so that none is to walk past another's backlog, and without what waits for anything.
    index("deliveries_due").on(table.clientId, table.nextAttemptRealAt).where(sql`status = 'pending' and is_due`),
    index("deliveries_falling_due")
      .on(table.nextAttemptRealAt)
      .where(sql`status = 'pending' and not is_due and next_attempt_real_at is not null`),
    index("deliveries_falling_due_by_client")
      .on(table.clientId, table.nextAttemptRealAt)
      .where(sql`status = 'pending' and not is_due and next_attempt_real_at is not null`),
    // The least tried first: it says more about an endpoint than one that failed already.
    index("deliveries_waiting")
      .on(table.clientId, table.attempts, table.id)
      .where(sql`status = 'pending' and next_attempt_real_at is null`),
    index("deliveries_by_client").on(table.clientId, table.id),
  ],
);

/**
 * Each try of a delivery and what came of it: an HTTP status, or a word for what went wrong before there was one. Partitioned
 * by the month of the delivery, and gone after it.
 */
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

/**
 * Rows that a worker could not process, set aside so that they hold up no others: which, why, since when, and when they are
 * tried again. Deleted once that succeeds.
 */
export const quarantine = pgTable(
  "quarantine",
  {
    kind: text().$type<QuarantinedKind>().notNull(),
    // Of the row; a client's for its endpoint, a table's name for a sweep.
    id: text().notNull(),
    reason: text().notNull(),
    failures: integer().notNull().default(1),
    firstFailedRealAt: time("first_failed_real_at").notNull().defaultNow(),
    retryRealAt: time("retry_real_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);

/**
 * Until when each worker of each process sleeps, so that whoever writes what is due earlier wakes it, and nobody else is
 * woken for nothing. Unlogged: after a crash of the database everybody looks anyway.
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

/** Each comparison of the books with themselves, and how much was wrong. Unfinished: under way, or cut off. */
export const reconciliations = pgTable("reconciliations", {
  id: uuid().primaryKey(),
  startedRealAt: time("started_real_at").notNull().defaultNow(),
  finishedRealAt: time("finished_real_at"),
  problems: integer(),
});

/** What operators changed: written in the transaction of the change, and never changed itself. Holds no secret. */
export const operatorChanges = pgTable(
  "operator_changes",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    action: text().notNull(),
    operator: text().notNull(),
    via: text().$type<"command" | "listener">().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
    // Of money that came in: what keeps one payment from being posted twice.
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

/** Each encryption key that has been the current one: since when, and what became of bringing everything under it. Never the key. */
export const encryptionKeys = pgTable("encryption_keys", {
  keyId: text("key_id").primaryKey(),
  currentSinceReal: time("current_since_real").notNull().defaultNow(),
  /** When nothing was left under an older key; null: not yet, as far as anybody has looked. */
  rotatedRealAt: time("rotated_real_at"),
  /** When a rotation to it last failed; null: never, or one has got through since. */
  failedRealAt: time("failed_real_at"),
});
