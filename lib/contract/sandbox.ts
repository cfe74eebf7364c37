import * as z from "zod/mini";
import { customersUrl, provider, redirectUris, webAddress } from "./client-settings.ts";
import { limits } from "./limits.ts";
import { accountRecord, fundedAmount, transferRecord } from "./money.ts";
import { reasonByHand, userIntentRecord, userRecord } from "./people.ts";
import { transferStatuses, userIntentStatuses, userStatuses } from "./statuses.ts";
import { identifier, openEnum, text, timestamp } from "./text.ts";

/** The last `limits.messagesMax` texts, newest first. Decision D16 */
export const messageList = z.object({
  messages: z.array(z.object({ id: identifier, phone: z.string(), text: z.string(), sent_at: timestamp })),
});
export type MessageList = z.infer<typeof messageList>;

/** Only this response shows the secrets. Decision D16 */
export const sandboxClient = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  provider: z.string(),
  webhook_secret: z.string(),
  customer_endpoint_secret: z.string(),
  business_profile_id: identifier,
  business_user_id: identifier,
  business_user_phone: z.string(),
});
export type SandboxClientRecord = z.infer<typeof sandboxClient>;

/** Settings that an operator would change; omitted ones keep their values. Decision D16 */
export const clientSettings = z.strictObject({
  trusted_authentication: z.optional(z.boolean()),
  redirect_uris: z.optional(redirectUris),
  customers_url: z.optional(z.nullable(customersUrl)),
  provider: z.optional(provider),
});
export const clientSettingsRecord = z.object({
  client_id: z.string(),
  trusted_authentication: z.boolean(),
  redirect_uris: z.array(z.string()),
  customers_url: z.nullable(z.string()),
  provider: z.nullable(z.string()),
});
export type ClientSettingsRequest = z.infer<typeof clientSettings>;
export type ClientSettingsRecord = z.infer<typeof clientSettingsRecord>;

export const webhookEndpointRequest = z.strictObject({ url: webAddress });

export const userIntentList = z.object({ user_intents: z.array(userIntentRecord) });
export type UserIntentList = z.infer<typeof userIntentList>;
export const userList = z.object({ users: z.array(userRecord) });
export type UserList = z.infer<typeof userList>;

export const visitStatuses = ["open", "finished", "expired"] as const;

/**
 * The last `limits.pageSizeMax` visits, newest first. `step` is the current or last page. Exactly one of
 * `user_intent_id` and `user_id` is set: the one the client named.
 */
export const visitList = z.object({
  visits: z.array(
    z.object({
      id: identifier,
      user_intent_id: z.nullable(identifier),
      user_id: z.nullable(identifier),
      status: openEnum(visitStatuses),
      step: openEnum(["verification_code", "consent", "finished"]),
      redirect_uri: z.string(),
      trace_id: z.string(),
      created_at: timestamp,
      expires_at: timestamp,
      finished_at: z.nullable(timestamp),
    }),
  ),
});
export type VisitList = z.infer<typeof visitList>;

/** Only a rejection has reasons. Decision D16 */
export const userIntentDecision = decisionOf(userIntentStatuses);
export const userDecision = decisionOf(userStatuses);

/** Only a failure has a reason. Decision D16 */
export const transferDecision = z
  .strictObject({
    status: z.enum(transferStatuses),
    failure_reason: z.optional(text(limits.failureReasonCharactersMax)),
  })
  .check(
    z.refine((decision) => decision.failure_reason === undefined || decision.status === "failed", {
      message: "Only a failure can have a reason.",
      path: ["failure_reason"],
    }),
  );

/** The amount in USD to add. */
export const fundingRequest = z.strictObject({ amount: fundedAmount });

/** The last `limits.pageSizeMax` transfers of all the client's users, newest first. Decision D16 */
export const sandboxTransferList = z.object({ transfers: z.array(transferRecord) });
export type SandboxTransferList = z.infer<typeof sandboxTransferList>;

/**
 * Accounts, holds and postings, newest first. A posting comes with all its entries, so `sum`, the page's total, is
 * always 0. Accounts of its holds and entries are included. `next` is null on the last page. Decision D16
 */
export const ledgerRecord = z.object({
  accounts: z.array(
    z.extend(accountRecord, {
      type: openEnum(["wallet", "operating", "funding"]),
      user_id: z.nullable(identifier),
      held: z.number(),
    }),
  ),
  holds: z.array(z.object({ transfer_id: identifier, account_id: identifier, amount: z.number() })),
  entries: z.array(
    z.object({
      posting_id: identifier,
      account_id: identifier,
      transfer_id: z.nullable(identifier),
      amount: z.number(),
      created_at: timestamp,
    }),
  ),
  sum: z.number(),
  next: z.nullable(identifier),
});
export type LedgerRecord = z.infer<typeof ledgerRecord>;

function decisionOf<const Statuses extends readonly string[]>(statuses: Statuses) {
  return z.strictObject({ status: z.enum(statuses), rejection_reasons: z.optional(z.array(reasonByHand)) }).check(
    z.refine((decision) => decision.rejection_reasons === undefined || decision.status === "rejected", {
      message: "Only a rejection can have reasons.",
      path: ["rejection_reasons"],
    }),
  );
}

const { clockAdvanceSecondsMax: secondsMax } = limits;
const atMost = `Must be at most ${secondsMax}, which is ${secondsMax / (24 * 60 * 60)} days.`;

/** The seconds by which to advance the client's clock. Decision D16 */
export const clockAdvance = z.strictObject({
  seconds: z
    .int("Must be a whole number.")
    .check(z.minimum(1, "Must be at least 1: clocks only move forward."), z.maximum(secondsMax, atMost)),
});

/** How many seconds to look ahead; 0 for overdue items only. */
export const dueQuery = z.strictObject({
  seconds: z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, "Must be a whole number.")), z.transform(Number)),
    z.number().check(z.maximum(secondsMax, atMost)),
  ),
});

/** `offset_seconds` is the offset from real time. Decision D15 */
export const clockRecord = z.object({ now: timestamp, offset_seconds: z.number() });
export type ClockRecord = z.infer<typeof clockRecord>;

/** The first three are the service's own work, the others are expiries. */
export const dueKinds = [
  "screening",
  "transfer",
  "delivery",
  "identity_verification_token",
  "visit",
  "verification_code",
  "authorization_code",
  "access_token",
  "refresh_token",
] as const;
export type DueKind = (typeof dueKinds)[number];

/**
 * Soonest first, at most `limits.dueItemsMax`. `id` is that of the intent, transfer, delivery (its webhook_id) or
 * visit; for tokens and authorization codes, that of their user or intent.
 */
export const dueList = z.object({
  now: timestamp,
  due: z.array(z.object({ kind: openEnum(dueKinds), id: identifier, due_at: timestamp })),
});
export type DueList = z.infer<typeof dueList>;

export const tokenKinds = [
  "access_token",
  "refresh_token",
  "authorization_code",
  "identity_verification_token",
] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** The first that applies of revoked, spent, expired and superseded; otherwise live. */
export const tokenStates = ["live", "superseded", "expired", "spent", "revoked"] as const;
export type TokenState = (typeof tokenStates)[number];

/**
 * The newest tokens and codes (`limits.pageSizeMax` of each kind), newest first. `token` is the fingerprint in events.
 * `user_id` is null for an identity verification token that names an intent. `now` is the client's clock, which decides
 * when they expire. Decision D16
 */
export const tokenList = z.object({
  now: timestamp,
  tokens: z.array(
    z.object({
      kind: openEnum(tokenKinds),
      token: z.string(),
      state: openEnum(tokenStates),
      user_id: z.nullable(identifier),
      user_intent_id: z.nullable(identifier),
      created_at: timestamp,
      expires_at: timestamp,
    }),
  ),
});
export type TokenList = z.infer<typeof tokenList>;

export const tokenExpiry = z.strictObject({ kind: z.enum(["access_token", "refresh_token"]) });

/** How many live tokens were ended. */
export const endedTokens = z.object({ ended: z.number() });

/**
 * The newest keys (`limits.pageSizeMax`), newest first, each with the resource it created or the time it was voided.
 * `fingerprint` is the one in events. Decision D16
 */
export const idempotencyKeyList = z.object({
  idempotency_keys: z.array(
    z.object({
      key: z.string(),
      fingerprint: z.string(),
      operation: z.string(),
      user_id: z.nullable(identifier),
      resource_id: z.nullable(identifier),
      created_at: timestamp,
      voided_at: z.nullable(timestamp),
    }),
  ),
});
export type IdempotencyKeyList = z.infer<typeof idempotencyKeyList>;
