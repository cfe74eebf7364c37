import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  interval,
  json,
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
import type { EntryDetails } from "./inspector-entry.ts";

// Every table of Harbor on one page. Times are Harbor's (harbor_now(), Decision D15); columns named *_real_at are real time.
// Ids that the service gave are kept as text: what they look like is the service's business.

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const time = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const cents = (name: string) => bigint(name, { mode: "number" });
const readNumber = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

/** Harbor's clock: one row, whose offset only a sandbox ever moves. */
export const clock = pgTable(
  "clock",
  {
    isOnly: boolean("is_only").primaryKey().default(true),
    offset: interval("clock_offset").notNull().default("0"),
  },
  () => [check("clock_has_one_row", sql`is_only`)],
);

/** Who may sign in. A row exists only once the phone was proven by a code; email is kept in lower case. */
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
 * A sign-in or sign-up between password and code. `person_id` is whom the code signs in; for a sign-up it is null, and
 * `registration_encrypted` holds who is to be created. A decoy (neither) can never be passed.
 */
export const signInChallenges = pgTable(
  "sign_in_challenges",
  {
    id: uuid().primaryKey(),
    secretHash: bytea("secret_hash").notNull(),
    personId: uuid("person_id").references(() => people.id),
    registrationEncrypted: text("registration_encrypted"),
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

/** Who is signed in, one row a browser, until they sign out. Ends by real time, as the cookie that names it does. */
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

/** Texts sent by Harbor, encrypted because they hold codes. Each is for one challenge or one person, not for whoever has the number. */
export const texts = pgTable(
  "texts",
  {
    id: uuid().primaryKey(),
    phone: text().notNull(),
    challengeId: uuid("challenge_id").references(() => signInChallenges.id),
    personId: uuid("person_id").references(() => people.id),
    textEncrypted: text("text_encrypted").notNull(),
    sentAt: time("sent_at").notNull(),
  },
  (table) => [
    index("texts_by_challenge").on(table.challengeId),
    index("texts_by_person").on(table.personId),
    index("texts_by_age").on(table.sentAt),
  ],
);

/** How often something was tried in the current window, per subject (an HMAC: no email or address is kept). Real time. */
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
 * A person's way to becoming a user of the service. Neither ssn nor date of birth nor address is ever kept here. The
 * intent's id is null while the request is under way; `unanswered_sends` counts requests whose end is not known, so that
 * only at 0 it is certain that no intent was made. `service_updated_at` orders what the service said about it, and
 * `asked_real_at` is when Harbor last asked by itself. From `offered_from` on a pending one may go on to the authorization
 * pages, because the service does not tell its status; null while it does.
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
    // A rejected person may try again; otherwise each has one.
    uniqueIndex("onboardings_one_open_per_person").on(table.personId).where(sql`status <> 'rejected'`),
    index("onboardings_by_person").on(table.personId, table.id),
    check("onboardings_submitted_has_intent", sql`(status = 'submitting') = (user_intent_id is null)`),
  ],
);

/** Numbers the reads of records that bear no time of their own: of two answers the one that was asked for later is the newer. */
export const recordReads = pgSequence("record_reads");

/** What Harbor knows of a user of the service who authorized it. The business user belongs to no person (Decision D18). */
export const serviceUsers = pgTable(
  "service_users",
  {
    id: text().primaryKey(),
    personId: uuid("person_id").references(() => people.id),
    userType: text("user_type").notNull(),
    status: text().notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    // Where payouts to this seller go; for the business, where they come from.
    accountId: text("account_id"),
    // The number of the read that brought the record, and that of the one that brought the account.
    recordRead: readNumber("record_read"),
    accountRead: readNumber("account_read"),
    // When Harbor last asked by itself whether they can still be paid.
    askedRealAt: time("asked_real_at"),
    connectedAt: time("connected_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [uniqueIndex("service_users_by_person").on(table.personId)],
);

/** The one current token pair of each user of the service, encrypted. No row: that user must authorize (again). */
export const tokenPairs = pgTable("token_pairs", {
  serviceUserId: text("service_user_id").primaryKey(),
  accessTokenEncrypted: text("access_token_encrypted").notNull(),
  refreshTokenEncrypted: text("refresh_token_encrypted").notNull(),
  accessTokenExpiresAt: time("access_token_expires_at").notNull(),
  refreshTokenExpiresAt: time("refresh_token_expires_at").notNull(),
  issuedAt: time("issued_at").notNull(),
});

/** The states of a payment that may still change. */
export const openRoutineStates = ["submitting", "unanswered", "open", "missing"] as const;
/** Those that nothing is expected after. */
export const endedRoutineStates = ["succeeded", "failed", "cancelled", "refused", "conflicting"] as const;
/**
 * What Harbor makes of a payment. `submitting`: its first request is under way. `unanswered`: a request left, and whether it
 * created something is not known. `refused`: nothing was created. `missing`: the service no longer has its records.
 * `conflicting`: the service reported two different ends. The others say what the service's own words mean.
 */
export type RoutineState = (typeof openRoutineStates)[number] | (typeof endedRoutineStates)[number];

/** Of which account, and when. */
export type BalanceMoment = `${"source" | "destination"}_${"before" | "after"}`;
/** Balances that were told, each with when, in ISO 8601. One that is absent was not told, which is not the same as nothing. */
export type RoutineBalances = Partial<Record<BalanceMoment, { told: Money; at: string }>>;

/**
 * Routines that Harbor created, as it last heard of them. The service's ids are null until its answer, a webhook, its list
 * or a person brought them; `status` and `transfer_status` are its own words, null while it told none. `unanswered_sends`
 * counts requests that left and whose end is not known: one under way, one whose answer was lost, one whose process died.
 * Only at 0 is it certain that nothing was created. `replays` counts the requests after the first, and
 * `second_service_routine_id` is another record of this very payment. `next_try_at` is when Harbor looks again by itself,
 * null once nothing more is expected; `asked_real_at` is when it last looked because somebody was watching. `balances` is what
 * lay in the two accounts just before it was sent and once it had ended, as far as the service told. `created_by` is null for
 * a payment that Harbor found at the service without any record of sending it; its idempotency key was never used.
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
    // Who has dealt with the second record; until then no payment is sent again.
    secondSeenBy: uuid("second_seen_by").references(() => people.id),
    // Who said what became of it, where nothing else could.
    resolvedBy: uuid("resolved_by").references(() => people.id),
    // When they confirmed which of two different ends is right.
    endConfirmedAt: time("end_confirmed_at"),
    // When the service was first found to have no record of it; null while it has.
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
    index("routines_attention").on(table.id).where(sql`state in ('missing', 'conflicting')`).concurrently(),
    index("routines_replayed").on(table.createdAt).where(sql`replays > 0`),
    check("routines_amount_positive", sql`amount_cents > 0`),
  ],
);

/**
 * Up to when Harbor has compared its payments with the service's lists; one row. `database_identity` changes when the
 * database is restored, and then payments wait for another comparison; `due_real_at` asks for one as well. `is_partial`: the
 * service has no list that can be read to its end. Nothing older than `begins_at` is taken up.
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
    beginsAt: time("begins_at"),
  },
  () => [check("routine_comparison_has_one_row", sql`is_only`)],
);

/** What happened to a routine and its transfer, for the timeline. One row per status each of them ever had. */
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

/**
 * Webhooks that passed the checks of `receiveWebhook`. One row per webhook id, however often it was delivered: the primary
 * key decides, and `duplicates` counts the others. A type that is not published may name neither user nor resource.
 */
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
    // Null once it was applied, or given up.
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
 * What Harbor and the service said to each other on behalf of a person, redacted; kept by a sandbox alone, a bounded number
 * for each person and for a day. `details` is no jsonb, which cannot hold every text that a service may answer.
 */
export const inspectorEntries = pgTable(
  "inspector_entries",
  {
    personId: uuid("person_id")
      .notNull()
      .references(() => people.id, { onDelete: "cascade" }),
    id: uuid().notNull(),
    traceId: text("trace_id").notNull(),
    details: json().$type<EntryDetails>().notNull(),
    occurredRealAt: time("occurred_real_at").notNull(),
    keptRealAt: time("kept_real_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.personId, table.id] }),
    index("inspector_entries_by_age").on(table.keptRealAt),
  ],
);
