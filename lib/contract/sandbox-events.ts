import * as z from "zod/mini";
import { faultCuts } from "./sandbox-faults.ts";
import { timestamp } from "./text.ts";

// What the service saw of a client and said to it, in the order in which it was written down. Nothing secret is in it: a
// token, code, key or state is told by its fingerprint, which is the same for the same text of the same client and says
// nothing else about it. Decision D20

/** A secret text, told apart from others and not told: 16 hexadecimal digits. */
const fingerprint = z.string();

const common = {
  /** Grows with time; the id of the event in the stream. */
  id: z.string(),
  /** Real time, and the time by the client's clock. */
  at: timestamp,
  client_time: timestamp,
  duration_ms: z.nullable(z.number()),
  trace_id: z.nullable(z.string()),
  /** What it belongs to: `trace:…`, `intent:…`, `user:…`, `visit:…`, `routine:…`, `transfer:…`, `webhook:…`, `token:…`. */
  joins: z.array(z.string()),
  /** What was asked and answered, redacted; of a call `headers` and `body` of each. */
  request: z.unknown(),
  response: z.unknown(),
};

/** The tokens that an answer of the token endpoint brought. */
export const issuedTokens = z.object({
  access_token: fingerprint,
  refresh_token: fingerprint,
  access_expires_at: timestamp,
  refresh_expires_at: timestamp,
  user_id: z.nullable(z.string()),
});

/** A call of the published interface by the client. */
export const callEvent = z.object({
  ...common,
  kind: z.literal("call"),
  request_id: z.string(),
  operation: z.string(),
  method: z.string(),
  path_template: z.string(),
  path: z.string(),
  /** null: no answer was sent. */
  status: z.nullable(z.number()),
  reason: z.nullable(z.string()),
  /** When it arrived; `at` is when it was answered. */
  started_at: timestamp,
  facts: z.object({
    authorization: z.enum(["none", "basic", "bearer"]),
    access_token: z.nullable(fingerprint),
    idempotency_key: z.nullable(fingerprint),
    /** The whole body, fingerprinted, to see whether a repeat says the same. */
    body: z.nullable(fingerprint),
    /** A token, code or secret stood in the query. */
    has_credential_in_url: z.boolean(),
    /** The sandbox made it slow, fail or stay without an answer because somebody had asked for that. */
    is_faulted: z.boolean(),
    /** When the connection of a call without an answer was cut; after, the other facts tell what was done. */
    cut: z.optional(z.enum(faultCuts)),
    retry_after_seconds: z.nullable(z.number()),
    grant_type: z.nullable(z.string()),
    code: z.nullable(fingerprint),
    has_code_verifier: z.boolean(),
    redirect_uri: z.nullable(z.string()),
    refresh_token: z.nullable(fingerprint),
    revoked_token: z.nullable(fingerprint),
    issued: z.nullable(issuedTokens),
    /** The identity verification token that was minted. */
    session_token: z.nullable(fingerprint),
    /** Which of `user_intent_id` and `user_id` the body named. */
    named_people: z.array(z.string()),
    metadata_keys: z.array(z.string()),
    /** The values of metadata, for the advice that the client's own id be among them. */
    metadata_fingerprints: z.array(fingerprint),
    /** What metadata must not hold (a card, a social security number) stood in it, and was refused. */
    has_sensitive_metadata: z.boolean(),
    customer_id: z.nullable(fingerprint),
    /** Of the record that the answer is, or that the path names. */
    resource_id: z.nullable(z.string()),
  }),
});

/** A step of a person on the authorization pages. */
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
    /** The code that the person carried back. */
    code: z.nullable(fingerprint),
    error: z.nullable(z.string()),
    /** Why a session token opened nothing, or what a person sent in was refused. */
    cause: z.nullable(z.string()),
  }),
});

/** A call of the client's customer endpoint by the service. `probe`: by a drill, as a stranger would call or about one. */
export const customerEvent = z.object({
  ...common,
  kind: z.literal("customer"),
  status: z.nullable(z.number()),
  facts: z.object({
    customer_id: fingerprint,
    probe: z.nullable(z.enum(["unknown_customer", "no_credentials", "wrong_credentials"])),
    /** Why there was no answer, or what is wrong with it. */
    problems: z.array(z.string()),
    /** How `lastAuthenticationTime` is written: that it has milliseconds, and that it is UTC. */
    has_milliseconds: z.nullable(z.boolean()),
    is_utc: z.nullable(z.boolean()),
  }),
});

/** One attempt at one webhook. */
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
     * How it was tampered with on the way, as somebody had asked for. `duplicate` marks the second copy; `delay` and `reorder`
     * mark that it was held back and not sent, which it is later, as an event of its own.
     */
    fault: z.nullable(z.enum(["drop", "delay", "duplicate", "reorder", "tamper", "stale", "unknown_type"])),
    /**
     * How many secrets it was signed with: 2 while they are rotated. `old_only`: a drill signed it with the old one alone;
     * `none`: with none that the client has, as somebody on the way would.
     */
    signatures: z.number(),
    signed_with: z.enum(["current", "both", "old_only", "none"]),
    error: z.nullable(z.string()),
    /** The first 1024 bytes of what the receiver said. */
    answer: z.nullable(z.string()),
  }),
});

/** A call of the sandbox: something was moved, decided or broken on purpose. */
export const controlEvent = z.object({
  ...common,
  kind: z.literal("control"),
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
});

/** What the service saw of a client: one of five kinds. */
export const sandboxEvent = z.discriminatedUnion("kind", [
  callEvent,
  visitEvent,
  customerEvent,
  deliveryEvent,
  controlEvent,
]);
export type SandboxEvent = z.infer<typeof sandboxEvent>;
/** The five kinds, by name. */
export type SandboxEventKind = SandboxEvent["kind"];
export type CallEvent = z.infer<typeof callEvent>;
export type VisitEvent = z.infer<typeof visitEvent>;
export type CustomerEvent = z.infer<typeof customerEvent>;
export type DeliveryEvent = z.infer<typeof deliveryEvent>;
export type ControlEvent = z.infer<typeof controlEvent>;

type WithoutId<Event> = Event extends unknown ? Omit<Event, "id"> : never;
/** An event as it is stored: its id is the row's. */
export type StoredSandboxEvent = WithoutId<SandboxEvent>;

/** What was asked and answered, as an event shows it. */
export type EventBodies = { request: unknown; response: unknown };

/** The kinds of events, in the order in which they are told about. */
export const sandboxEventKinds = ["call", "visit", "customer", "delivery", "control"] as const;

/**
 * Answer to `GET /sandbox/events?after=&before=&limit=&kind=&join=`: a page of a client's events, oldest first; `earlier_exist`
 * and `later_exist` say whether there are more on either side. The last `limits.eventsKeptMax` are kept.
 */
export const eventPage = z.object({
  events: z.array(sandboxEvent),
  earlier_exist: z.boolean(),
  later_exist: z.boolean(),
});
export type EventPage = z.infer<typeof eventPage>;

/**
 * One API request, redacted: ssn, date of birth, address, tokens, codes and secrets are never in it. `id` grows
 * with time and is the event id of the stream; `trace_id` joins what one action caused. `status` is null when no answer was
 * sent. Decision D16
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

/** Answer to `GET /sandbox/requests`: the last requests of the client (`limits.requestsKeptMax`), newest first. */
export const requestList = z.object({ requests: z.array(requestRecord) });
export type RequestList = z.infer<typeof requestList>;

/** Answer to `GET /sandbox/requests/stream`: server-sent events, each `data` a request record. */
export const eventStream = z.string();
