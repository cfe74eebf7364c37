import * as z from "zod/mini";
import { customerProbes } from "./sandbox-checks.ts";
import { faultCuts, foreignParts } from "./sandbox-faults.ts";
import { timestamp } from "./text.ts";

// The events between the service and a client, in the order they were recorded. Tokens, codes, keys and states appear as
// fingerprints that are stable per client. Decision D20

/** 16 hexadecimal digits. */
const fingerprint = z.string();

const common = {
  /** Increases with time; also the event id of the stream. */
  id: z.string(),
  /** Real time, and the client's clock. */
  at: timestamp,
  client_time: timestamp,
  duration_ms: z.nullable(z.number()),
  trace_id: z.nullable(z.string()),
  /** Its resources: `trace:…`, `intent:…`, `user:…`, `visit:…`, `routine:…`, `transfer:…`, `webhook:…`, `token:…`. */
  joins: z.array(z.string()),
  /** Redacted. For a call, each has `headers` and `body`. */
  request: z.unknown(),
  response: z.unknown(),
};

/** The tokens in a response of the token endpoint. */
export const issuedTokens = z.object({
  access_token: fingerprint,
  refresh_token: fingerprint,
  access_expires_at: timestamp,
  refresh_expires_at: timestamp,
  user_id: z.nullable(z.string()),
});

/** A client's call to the published interface. */
export const callEvent = z.object({
  ...common,
  kind: z.literal("call"),
  request_id: z.string(),
  operation: z.string(),
  method: z.string(),
  path_template: z.string(),
  path: z.string(),
  /** null without an answer. */
  status: z.nullable(z.number()),
  reason: z.nullable(z.string()),
  /** Arrival time; `at` is when it was answered. */
  started_at: timestamp,
  facts: z.object({
    authorization: z.enum(["none", "basic", "bearer"]),
    access_token: z.nullable(fingerprint),
    idempotency_key: z.nullable(fingerprint),
    /** Of the whole body, to compare retries. */
    body: z.nullable(fingerprint),
    query: z.optional(fingerprint),
    has_credential_in_url: z.boolean(),
    /** An injected fault made it slow, fail or go unanswered. */
    is_faulted: z.boolean(),
    /** Set for an unanswered call. With "after", the other facts show what was done. */
    cut: z.optional(z.enum(faultCuts)),
    retry_after_seconds: z.nullable(z.number()),
    grant_type: z.nullable(z.string()),
    code: z.nullable(fingerprint),
    /** Derived from the code_verifier sent (S256), to compare with the visit's. */
    code_challenge: z.nullable(fingerprint),
    redirect_uri: z.nullable(z.string()),
    refresh_token: z.nullable(fingerprint),
    revoked_token: z.nullable(fingerprint),
    issued: z.nullable(issuedTokens),
    session_token: z.nullable(fingerprint),
    /** Which of `user_intent_id` and `user_id` the body contained. */
    named_people: z.array(z.string()),
    metadata_keys: z.array(z.string()),
    /** For the advice to include the client's own customer id. */
    metadata_fingerprints: z.array(fingerprint),
    /** The metadata was refused because it had a card or social security number. */
    has_sensitive_metadata: z.boolean(),
    customer_id: z.nullable(fingerprint),
    /** The record in the answer or the path. */
    resource_id: z.nullable(z.string()),
  }),
});

/** One step of a person on the authorization pages. */
export const visitEvent = z.object({
  ...common,
  kind: z.literal("visit"),
  visit_id: z.nullable(z.string()),
  step: z.enum([
    "opened",
    "refused",
    "sent_back",
    "code_sent",
    "code_refused",
    "code_verified",
    "submission_refused",
    "identity_submitted",
    "photo_submitted",
    "authorized",
    "cancelled",
  ]),
  facts: z.object({
    state: z.nullable(fingerprint),
    state_length: z.number(),
    code_challenge: z.nullable(fingerprint),
    code_challenge_method: z.nullable(z.string()),
    session_token: z.nullable(fingerprint),
    redirect_uri: z.nullable(z.string()),
    user_intent_id: z.nullable(z.string()),
    user_id: z.nullable(z.string()),
    code: z.nullable(fingerprint),
    /** The URL contained a secret that doesn't belong in a URL. */
    has_credential_in_url: z.boolean(),
    error: z.nullable(z.string()),
    /** Why a session token or a submission was refused. */
    cause: z.nullable(z.string()),
    /** The part of the redirect back that an injected fault replaced. */
    foreign: z.optional(z.enum(foreignParts)),
  }),
});

/** A call to the client's customer endpoint; `probe` is set if a drill made it. */
export const customerEvent = z.object({
  ...common,
  kind: z.literal("customer"),
  status: z.nullable(z.number()),
  facts: z.object({
    customer_id: fingerprint,
    probe: z.nullable(z.enum(customerProbes)),
    /** Why there was no answer, or what was invalid in it. */
    problems: z.array(z.string()),
    /** Whether `lastAuthenticationTime` has milliseconds and is in UTC. */
    has_milliseconds: z.nullable(z.boolean()),
    is_utc: z.nullable(z.boolean()),
    /** How far `lastAuthenticationTime` was ahead of real time; negative if it was in the past. */
    seconds_ahead: z.nullable(z.number()),
  }),
});

/** One delivery attempt of one webhook. */
export const deliveryEvent = z.object({
  ...common,
  kind: z.literal("delivery"),
  webhook_id: z.string(),
  webhook_type: z.string(),
  resource_id: z.string(),
  user_id: z.string(),
  status: z.nullable(z.number()),
  facts: z.object({
    attempt: z.number(),
    /**
     * `duplicate` marks the second copy. `delay`, `reorder` and `withhold` mark a delivery held back; sending it later is
     * an event of its own.
     */
    fault: z.nullable(
      z.enum(["drop", "delay", "duplicate", "reorder", "withhold", "tamper", "stale", "unknown_type", "reformatted"]),
    ),
    /**
     * 2 during a rotation. `old_only`: a drill signed with only the old secret. `none`: signed with an unknown secret, as
     * an attacker would.
     */
    signatures: z.number(),
    signed_with: z.enum(["current", "both", "old_only", "none"]),
    error: z.nullable(z.string()),
    /** The first 1024 bytes of the response body. */
    answer: z.nullable(z.string()),
  }),
});

/** A call to the sandbox API: a clock jump, a decision or a fault. */
export const controlEvent = z.object({
  ...common,
  kind: z.literal("control"),
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  /** null without an answer. */
  status: z.nullable(z.number()),
});

export const sandboxEvent = z.discriminatedUnion("kind", [
  callEvent,
  visitEvent,
  customerEvent,
  deliveryEvent,
  controlEvent,
]);
export type SandboxEvent = z.infer<typeof sandboxEvent>;
export type SandboxEventKind = SandboxEvent["kind"];
export type CallEvent = z.infer<typeof callEvent>;
export type VisitEvent = z.infer<typeof visitEvent>;
export type CustomerEvent = z.infer<typeof customerEvent>;
export type DeliveryEvent = z.infer<typeof deliveryEvent>;
export type ControlEvent = z.infer<typeof controlEvent>;

type WithoutId<Event> = Event extends unknown ? Omit<Event, "id"> : never;
/** An event without its id, which is the row's. */
export type StoredSandboxEvent = WithoutId<SandboxEvent>;

export type EventBodies = { request: unknown; response: unknown };

/** In display order. */
export const sandboxEventKinds = ["call", "visit", "customer", "delivery", "control"] as const;

/**
 * A page of a client's events, oldest first, and whether there are more before and after it. Only the last
 * `limits.storedEventsMax` are kept.
 */
export const eventPage = z.object({
  events: z.array(sandboxEvent),
  earlier_exist: z.boolean(),
  later_exist: z.boolean(),
});
export type EventPage = z.infer<typeof eventPage>;

/**
 * One API request, redacted. `id` increases with time and is the event id of the stream. `trace_id` links everything
 * that one action caused. `status` is null without an answer. Decision D16
 */
export const requestRecord = z.object({
  id: z.string(),
  request_id: z.string(),
  trace_id: z.string(),
  operation: z.string(),
  method: z.string(),
  path_template: z.string(),
  path: z.string(),
  status: z.nullable(z.number()),
  reason: z.nullable(z.string()),
  duration_ms: z.number(),
  request_body: z.unknown(),
  response_body: z.unknown(),
  answered_at: timestamp,
});
export type RequestRecord = z.infer<typeof requestRecord>;

/** The client's last requests (`limits.storedRequestsMax`), newest first. */
export const requestList = z.object({ requests: z.array(requestRecord) });
export type RequestList = z.infer<typeof requestList>;

/** Server-sent events, each `data` a request record. */
export const eventStream = z.string();
