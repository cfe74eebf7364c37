import { oauthErrorBody } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { looksLikeCardNumber, looksLikeSsn } from "../../../contract/people.ts";
import type { CallEvent } from "../../../contract/sandbox-events.ts";
import type { FaultCut } from "../../../contract/sandbox-faults.ts";
import { sha256 } from "../../../kit/secrets.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { canonicalJson } from "../../domain/idempotency.ts";
import type { EventDraft } from "./event-log.ts";
import { type Fingerprint, fingerprintsOf } from "./fingerprint.ts";
import { holdsSecret, redactBody, redactText } from "./redact-body.ts";
import { joinOfResource, type ResourceKind, resourceIdOf } from "./resources.ts";

/** A call, not yet redacted. If it's unanswered, with the answer it would have had. */
export type CallRecord = {
  clientId: string;
  requestId: string;
  traceId: TraceId;
  operation: string;
  method: string;
  pathTemplate: string;
  url: string;
  isUnanswered: boolean;
  status: number;
  reason: string | null;
  startedAt: Date;
  durationMs: number;
  answeredAt: Date;
  userId: string | undefined;
  isFaulted: boolean;
  cut: FaultCut | undefined;
  requestHeaders: Headers;
  responseHeaders: Record<string, string>;
  requestBody: unknown;
  responseBody: unknown;
};

type Facts = CallEvent["facts"];

/** Redacts bodies and headers, and replaces secrets with fingerprints. */
export function describeCall(call: CallRecord): EventDraft {
  const fingerprint = fingerprintsOf(call.clientId);
  const facts = factsOf(call, fingerprint);
  return {
    kind: "call",
    at: call.answeredAt,
    started_at: call.startedAt.toISOString(),
    duration_ms: call.durationMs,
    trace_id: call.traceId,
    joins: joinsOf(call, facts),
    request_id: call.requestId,
    operation: call.operation,
    method: call.method,
    path_template: call.pathTemplate,
    path: shownPath(call.url),
    ...shownAnswer(call),
    request: { headers: shownHeaders(call.requestHeaders, facts), body: redactBody(call.requestBody, "request") },
    facts,
  };
}

// The client never saw a lost answer.
function shownAnswer({ isUnanswered, status, reason, responseHeaders, responseBody }: CallRecord) {
  if (isUnanswered) return { status: null, reason: null, response: null };
  return {
    status,
    // The token endpoint's reason is only in its body (RFC 6749).
    reason: oauthErrorBody.safeParse(responseBody).data?.error ?? reason,
    response: { headers: redactHeaders(responseHeaders), body: redactBody(responseBody, "response") },
  };
}

/** A sandbox call, which changes what the service does. */
export function describeControl(call: CallRecord): EventDraft {
  return {
    kind: "control",
    at: call.answeredAt,
    duration_ms: call.durationMs,
    trace_id: call.traceId,
    joins: [
      `trace:${call.traceId}`,
      ...joinOfResource(controlledKindOf(call.pathTemplate), resourceIdOf(call.url, {})),
    ],
    operation: call.operation,
    method: call.method,
    path: shownPath(call.url),
    status: call.isUnanswered ? null : call.status,
    request: { body: redactBody(call.requestBody, "request") },
    response: call.isUnanswered ? null : { body: redactBody(call.responseBody, "response") },
  };
}

function controlledKindOf(pathTemplate: string): ResourceKind | undefined {
  const [, , noun] = pathTemplate.split("/");
  const kinds: Record<string, ResourceKind> = {
    user_intents: "intent",
    users: "user",
    transfers: "transfer",
    webhooks: "webhook",
  };
  return kinds[noun ?? ""];
}

/** The path without the query, which might contain a token by mistake. */
export function shownPath(url: string): string {
  return new URL(url).pathname.split("/").map(redactText).join("/");
}

function factsOf(call: CallRecord, fingerprint: Fingerprint): Facts {
  const { requestHeaders: headers } = call;
  const body = recordOf(call.requestBody);
  const answer = call.status < 300 ? recordOf(call.responseBody) : {};
  const ofToken = call.operation === "issueTokens" ? body : {};
  const pairs = Object.entries(recordOf(body["metadata"]));
  const metadata = Object.fromEntries(pairs.slice(0, limits.metadataPairsMax));
  const authorization = headers.get("authorization") ?? "";
  const query = new URL(call.url).search;
  return {
    authorization: /^bearer\b/i.test(authorization) ? "bearer" : /^basic\b/i.test(authorization) ? "basic" : "none",
    access_token: fingerprint(/^bearer +(\S+)$/i.exec(authorization)?.[1]),
    idempotency_key: fingerprint(headers.get("idempotency-key")?.replaceAll('"', "").toLowerCase()),
    body: call.requestBody === undefined ? null : fingerprint(canonicalJson(call.requestBody)),
    ...(query && { query: fingerprint(query) }),
    has_credential_in_url: hasCredential(call.url),
    is_faulted: call.isFaulted,
    ...(call.cut && { cut: call.cut }),
    retry_after_seconds: call.isUnanswered ? null : numberOf(call.responseHeaders["retry-after"]),
    grant_type: wordOf(ofToken["grant_type"]),
    code: fingerprint(textOf(ofToken["code"])),
    code_challenge: fingerprint(challengeOf(textOf(ofToken["code_verifier"]))),
    redirect_uri: wordOf(ofToken["redirect_uri"]),
    refresh_token: fingerprint(textOf(ofToken["refresh_token"])),
    revoked_token: call.operation === "revokeToken" ? fingerprint(textOf(body["token"])) : null,
    issued: call.operation === "issueTokens" ? issuedBy(answer, call, fingerprint) : null,
    session_token: call.operation === "verifyPartnerIdentity" ? fingerprint(textOf(answer["token"])) : null,
    named_people: ["user_intent_id", "user_id"].filter((name) => Object.hasOwn(body, name)),
    metadata_keys: Object.keys(metadata).map(redactText),
    metadata_fingerprints: Object.values(metadata).flatMap((value) => fingerprint(textOf(value)) ?? []),
    has_sensitive_metadata: holdsSensitiveText(Object.fromEntries(pairs), body["ssn"]),
    customer_id: fingerprint(textOf(recordOf(body["provider_data"])["customer_id"])),
    resource_id: resourceIdOf(call.url, answer),
  };
}

// The expiry and owner are added when it's written (`toStored`).
function issuedBy(
  answer: Record<string, unknown>,
  { answeredAt }: CallRecord,
  fingerprint: Fingerprint,
): Facts["issued"] {
  const accessToken = fingerprint(textOf(answer["access_token"]));
  const refreshToken = fingerprint(textOf(answer["refresh_token"]));
  if (accessToken === null || refreshToken === null) return null;
  const notYet = answeredAt.toISOString();
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    access_expires_at: notYet,
    refresh_expires_at: notYet,
    user_id: null,
  };
}

function joinsOf(call: CallRecord, facts: Facts): string[] {
  const body = recordOf(call.requestBody);
  const answer = call.status < 300 ? recordOf(call.responseBody) : {};
  const tokens = [
    ...[facts.access_token, facts.code, facts.refresh_token, facts.revoked_token, facts.session_token],
    ...[facts.issued?.access_token, facts.issued?.refresh_token],
  ];
  return [
    `trace:${call.traceId}`,
    ...joinOfResource(kindOfPath(call.pathTemplate), facts.resource_id),
    ...joinOfResource("intent", body["user_intent_id"]),
    ...joinOfResource("user", body["user_id"]),
    ...joinOfResource("user", call.userId),
    ...joinOfResource("user", answer["user_id"]),
    ...joinOfResource("transfer", answer["transfer_id"]),
    ...joinOfResource("routine", answer["routine_id"]),
    ...tokens.flatMap((token) => (token ? [`token:${token}`] : [])),
  ];
}

// Forbidden metadata that was recognized and refused (Decision D6).
function holdsSensitiveText(metadata: Record<string, unknown>, ssn: unknown): boolean {
  const ownSsn = textOf(ssn)?.match(/^\d{9}$/)?.[0];
  return Object.entries(metadata)
    .flatMap(([key, value]) => [key, textOf(value) ?? ""])
    .some((text) => looksLikeCardNumber(text) || looksLikeSsn(text) || (ownSsn !== undefined && text.includes(ownSsn)));
}

function kindOfPath(pathTemplate: string) {
  if (pathTemplate.startsWith("/v1/user_intent")) return "intent";
  if (pathTemplate.startsWith("/v1/routines")) return "routine";
  if (pathTemplate.startsWith("/v1/transfers")) return "transfer";
  return pathTemplate === "/v1/user" ? "user" : undefined;
}

const credentialNames =
  /^(access_token|refresh_token|token|code|session_token|client_secret|client_assertion|secret|password)$/i;

// In the path or query, by parameter name or token format.
function hasCredential(url: string): boolean {
  const { pathname, search, searchParams } = new URL(url);
  return namesCredential([...searchParams.keys()]) || holdsSecret(decoded(pathname + search));
}

/** Whether one of a query's parameters is for a secret. */
export function namesCredential(names: readonly string[]): boolean {
  return names.some((name) => credentialNames.test(name));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const shownRequestHeaders = ["accept", "content-type", "user-agent", "traceparent"];

function shownHeaders(headers: Headers, facts: Facts): Record<string, string> {
  const shown = shownRequestHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, redactText(value)] as const];
  });
  const scheme = { none: undefined, basic: "Basic [redacted]", bearer: `Bearer [${facts.access_token}]` };
  return {
    ...Object.fromEntries(shown),
    ...(scheme[facts.authorization] && { authorization: scheme[facts.authorization] }),
    ...(facts.idempotency_key && { "idempotency-key": `[${facts.idempotency_key}]` }),
  };
}

function redactHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactText(value)]));
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function challengeOf(verifier: string | null): string | null {
  return verifier === null ? null : sha256(verifier).toString("base64url");
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function wordOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : redactText(text);
}

function numberOf(value: string | undefined): number | null {
  const number = Number(value);
  return value === undefined || Number.isNaN(number) ? null : number;
}
