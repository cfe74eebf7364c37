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
  pgSequence,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { Money, RejectionReason } from "#client";
import type { UserIntentStatus } from "../../contract/statuses.ts";
import type { MessageOutcome } from "../../kit/outbox.ts";

// Times are Harbor's (harbor_now(), Decision D15); columns named *_real_at are real time. The service's ids can be any
// text.

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const time = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const cents = (name: string) => bigint(name, { mode: "number" });
const readNumber = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

/** One row. Only a sandbox changes its offset. */
export const clock = pgTable(
  "clock",
  {
    isOnly: boolean("is_only").primaryKey().default(true),
    offset: interval("clock_offset").notNull().default("0"),
  },
  () => [check("clock_has_one_row", sql`is_only`)],
);

/** A row is created once email address (in lower case) and phone (E.164) are verified. */
export const people = pgTable(
  "people",
  {
    id: uuid().primaryKey(),
    email: text().notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    phone: text().notNull(),
    passwordHash: text("password_hash").notNull(),
    role: text().$type<"seller" | "operator">().notNull(),
    lastAuthenticationAt: time("last_authentication_at").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [uniqueIndex("people_email").on(table.email)],
);

/**
 * A sign-in (`person_id`) or sign-up (`registration_encrypted`) that waits for a code; neither before a password. A
 * sign-up waits for the emailed code until `email_proven_at`, then for the texted one.
 */
export const signInChallenges = pgTable(
  "sign_in_challenges",
  {
    id: uuid().primaryKey(),
    secretHash: bytea("secret_hash").notNull(),
    personId: uuid("person_id").references(() => people.id),
    registrationEncrypted: text("registration_encrypted"),
    emailProvenAt: time("email_proven_at"),
    phone: text().notNull(),
    codeHash: bytea("code_hash").notNull(),
    tries: smallint().notNull().default(0),
    codeSentRealAt: time("code_sent_real_at").notNull(),
    codeExpiresAt: time("code_expires_at").notNull(),
    spentAt: time("spent_at"),
    createdAt: time("created_at").notNull(),
  },
  () => [check("sign_in_challenges_not_both", sql`num_nonnulls(person_id, registration_encrypted) <= 1`)],
);

export const sessions = pgTable(
  "sessions",
  {
    idHash: bytea("id_hash").primaryKey(),
    personId: uuid("person_id")
      .notNull()
      .references(() => people.id),
    expiresRealAt: time("expires_real_at").notNull(),
  },
  (table) => [index("sessions_by_expiry").on(table.expiresRealAt)],
);

/**
 * Texts and emails, encrypted because they contain codes. A sandbox shows them on its pages; otherwise they wait for
 * the carrier (lib/kit/outbox.ts) until their code expires.
 */
export const messages = pgTable(
  "messages",
  {
    id: uuid().primaryKey(),
    phone: text(),
    email: text(),
    subject: text(),
    challengeId: uuid("challenge_id")
      .notNull()
      .references(() => signInChallenges.id),
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
    check("messages_have_one_recipient", sql`num_nonnulls(phone, email) = 1`),
    check("messages_subject_of_emails", sql`(subject is null) = (email is null)`),
    index("messages_by_challenge").on(table.challengeId),
    index("messages_by_age").on(table.sentAt),
  ],
);

/** Attempts per subject in the current window. The subject is an HMAC, so no email or address is stored. */
export const attempts = pgTable(
  "attempts",
  {
    kind: text().notNull(),
    subjectHash: bytea("subject_hash").notNull(),
    count: integer().notNull(),
    startedRealAt: time("started_real_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subjectHash] })],
);

/**
 * Never holds ssn, date of birth or address. `unanswered_sends` counts requests with an unknown outcome: only 0 proves
 * that no intent was made. `service_updated_at` orders the service's records; `asked_real_at` is the last poll. After
 * `offered_from`, the person may continue without a known status.
 */
export const onboardings = pgTable(
  "onboardings",
  {
    id: uuid().primaryKey(),
    personId: uuid("person_id")
      .notNull()
      .references(() => people.id),
    idempotencyKey: uuid("idempotency_key").notNull(),
    userIntentId: text("user_intent_id").unique(),
    status: text().$type<"submitting" | UserIntentStatus>().notNull(),
    unansweredSends: integer("unanswered_sends").notNull().default(0),
    rejectionReasons: jsonb("rejection_reasons").$type<RejectionReason[]>().notNull().default([]),
    userId: text("user_id"),
    serviceUpdatedAt: time("service_updated_at"),
    askedRealAt: time("asked_real_at"),
    offeredFrom: time("offered_from"),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    // A rejected person can try again.
    uniqueIndex("onboardings_one_open_per_person").on(table.personId).where(sql`status <> 'rejected'`),
    index("onboardings_by_person").on(table.personId, table.id),
    check("onboardings_submitted_has_intent", sql`(status = 'submitting') = (user_intent_id is null)`),
  ],
);

/** Orders reads of records that carry no time. */
export const recordReads = pgSequence("record_reads");

/** Users of the service who authorized Harbor. Neither the business user nor a lost one has a person (Decision D18). */
export const serviceUsers = pgTable(
  "service_users",
  {
    id: text().primaryKey(),
    personId: uuid("person_id").references(() => people.id),
    userType: text("user_type").notNull(),
    status: text().notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    // The account that receives this seller's payments, or sends the business's.
    accountId: text("account_id"),
    recordRead: readNumber("record_read"),
    accountRead: readNumber("account_read"),
    // The last check whether the seller can still be paid.
    askedRealAt: time("asked_real_at"),
    connectedAt: time("connected_at").notNull(),
    // When someone at Harbor ended the connection. Null while connected, or if it ended another way.
    disconnectedAt: time("disconnected_at"),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [uniqueIndex("service_users_by_person").on(table.personId)],
);

/** The current token pair of each user, encrypted. Without a row, the user must authorize. */
export const tokenPairs = pgTable("token_pairs", {
  serviceUserId: text("service_user_id").primaryKey(),
  accessTokenEncrypted: text("access_token_encrypted").notNull(),
  refreshTokenEncrypted: text("refresh_token_encrypted").notNull(),
  accessTokenExpiresAt: time("access_token_expires_at").notNull(),
  refreshTokenExpiresAt: time("refresh_token_expires_at").notNull(),
  issuedAt: time("issued_at").notNull(),
  // Null until the first renewal of this pair.
  nextRenewalAt: time("next_renewal_at"),
});

export const openRoutineStates = ["submitting", "unanswered", "open", "missing"] as const;
export const endedRoutineStates = ["succeeded", "failed", "cancelled", "refused", "conflicting"] as const;
/**
 * `submitting`: a request is in flight. `unanswered`: a request may have created a payment. `refused`: none was
 * created. `missing`: the service no longer has its records. `conflicting`: the service reported two different ends.
 * The others are meanings of the service's own status.
 */
export type RoutineState = (typeof openRoutineStates)[number] | (typeof endedRoutineStates)[number];

export type BalanceMoment = `${"source" | "destination"}_${"before" | "after"}`;
export type RoutineBalances = Partial<Record<BalanceMoment, { reported: Money; at: string }>>;

/**
 * The service's ids are null until an answer, webhook, list or operator supplies them; the status columns hold its own
 * words. `unanswered_sends` counts requests with an unknown outcome: only 0 proves that nothing was created. `replays`
 * counts resends. `next_try_at` is the next check, null once nothing more is expected; `asked_real_at` is the last read
 * for a watcher. `created_by` is null for an adopted payment, whose idempotency key was never used.
 */
export const routines = pgTable(
  "routines",
  {
    id: uuid().primaryKey(),
    idempotencyKey: uuid("idempotency_key").notNull().unique(),
    createdBy: uuid("created_by").references(() => people.id),
    serviceRoutineId: text("service_routine_id").unique(),
    transferId: text("transfer_id").unique(),
    name: text().notNull(),
    amountCents: cents("amount_cents").notNull(),
    sourceId: text("source_id").notNull(),
    destinationId: text("destination_id").notNull(),
    sellerUserId: text("seller_user_id").notNull(),
    state: text().$type<RoutineState>().notNull(),
    status: text(),
    transferStatus: text("transfer_status"),
    failureReason: text("failure_reason"),
    unansweredSends: integer("unanswered_sends").notNull().default(0),
    replays: integer().notNull().default(0),
    secondServiceRoutineId: text("second_service_routine_id"),
    // Until an operator acknowledges the second record, nothing is resent.
    secondSeenBy: uuid("second_seen_by").references(() => people.id),
    resolvedBy: uuid("resolved_by").references(() => people.id),
    endConfirmedAt: time("end_confirmed_at"),
    missingRealAt: time("missing_real_at"),
    firstSentRealAt: time("first_sent_real_at"),
    lastSentRealAt: time("last_sent_real_at"),
    tries: integer().notNull().default(0),
    nextTryAt: time("next_try_at"),
    askedRealAt: time("asked_real_at"),
    balances: jsonb().$type<RoutineBalances>().notNull().default({}),
    traceId: text("trace_id").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    index("routines_due").on(table.nextTryAt).where(sql`next_try_at is not null`),
    index("routines_unanswered").on(table.destinationId).where(sql`service_routine_id is null`),
    index("routines_found").on(table.destinationId).where(sql`created_by is null`),
    index("routines_needing_operator")
      .on(table.id)
      .where(
        sql`state in ('missing', 'conflicting', 'unanswered') or second_service_routine_id is not null and second_seen_by is null`,
      )
      .concurrently(),
    index("routines_replayed").on(table.createdAt).where(sql`replays > 0`),
    check("routines_amount_positive", sql`amount_cents > 0`),
  ],
);

/** A record at the service that may belong to one of these unanswered payments. */
export type PossibleRecord = { id: string; mayBeOf: string[] };

/**
 * One row: how far payments were compared with the service's lists. A changed `database_identity` (a restore) or a
 * `due_real_at` makes one due. `is_partial`: the service has no complete list. Payments before `begins_at` are ignored.
 * `possible_records` are those of the last comparison.
 */
export const routineComparison = pgTable(
  "routine_comparison",
  {
    isOnly: boolean("is_only").primaryKey().default(true),
    databaseIdentity: text("database_identity"),
    coveredUntilRealAt: time("covered_until_real_at"),
    comparedRealAt: time("compared_real_at"),
    dueRealAt: time("due_real_at"),
    isPartial: boolean("is_partial").notNull().default(false),
    possibleRecords: jsonb("possible_records").$type<PossibleRecord[]>().notNull().default([]),
    beginsAt: time("begins_at"),
  },
  () => [check("routine_comparison_has_one_row", sql`is_only`)],
);

/** The timeline: one row per status of a routine or its transfer. */
export const routineEvents = pgTable(
  "routine_events",
  {
    routineId: uuid("routine_id")
      .notNull()
      .references(() => routines.id),
    resource: text().$type<"routine" | "transfer">().notNull(),
    status: text().notNull(),
    occurredAt: time("occurred_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.routineId, table.resource, table.status] })],
);

/** Verified webhooks, one row per webhook id. Unpublished types might name no user or resource. */
export const webhookReceipts = pgTable(
  "webhook_receipts",
  {
    webhookId: text("webhook_id").primaryKey(),
    webhookType: text("webhook_type").notNull(),
    userId: text("user_id"),
    resourceId: text("resource_id"),
    traceId: text("trace_id").notNull(),
    attempts: smallint().notNull().default(0),
    duplicates: integer().notNull().default(0),
    // Null once applied or given up.
    nextAttemptRealAt: time("next_attempt_real_at"),
    outcome: text(),
    receivedRealAt: time("received_real_at").notNull().defaultNow(),
    processedRealAt: time("processed_real_at"),
  },
  (table) => [
    index("webhook_receipts_due").on(table.nextAttemptRealAt).where(sql`next_attempt_real_at is not null`),
    index("webhook_receipts_by_resource").on(table.resourceId),
    index("webhook_receipts_applied").on(table.receivedRealAt).where(sql`next_attempt_real_at is null`),
  ],
);

/**
 * Payments that an operator reviews and sends together. `digest`: of the reviewed payments. Confirmed once; a draft can
 * change until then.
 */
export const paymentBatches = pgTable("payment_batches", {
  id: uuid().primaryKey(),
  createdBy: uuid("created_by")
    .notNull()
    .references(() => people.id),
  sourceId: text("source_id").notNull(),
  digest: text().notNull(),
  confirmedAt: time("confirmed_at"),
  createdAt: time("created_at").notNull(),
});

/**
 * `waiting`: to be sent under its key from `next_try_real_at` on. `sent`: see its routine. `not_made`: for `reason`;
 * `other_routine_id` is the payment that might be the same.
 */
export const batchPayments = pgTable(
  "batch_payments",
  {
    idempotencyKey: uuid("idempotency_key").primaryKey(),
    batchId: uuid("batch_id")
      .notNull()
      .references(() => paymentBatches.id),
    line: integer().notNull(),
    sellerUserId: text("seller_user_id").notNull(),
    amountCents: cents("amount_cents").notNull(),
    name: text().notNull(),
    state: text().$type<"draft" | "waiting" | "sent" | "not_made">().notNull(),
    reason: text(),
    otherRoutineId: uuid("other_routine_id"),
    nextTryRealAt: time("next_try_real_at"),
  },
  (table) => [
    uniqueIndex("batch_payments_by_line").on(table.batchId, table.line),
    index("batch_payments_waiting").on(table.nextTryRealAt).where(sql`state = 'waiting'`),
    check("batch_payments_waiting_is_scheduled", sql`(state = 'waiting') = (next_try_real_at is not null)`),
    check("batch_payments_amount_positive", sql`amount_cents > 0`),
  ],
);
