import { randomUUID } from "node:crypto";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { isDatabaseUnavailable } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { log } from "../../../kit/log.ts";
import { processWide } from "../../../kit/memoize.ts";
import { clientNetwork } from "../../../kit/networks.ts";
import { type Meter, requestMeter } from "../../../kit/request-meter.ts";
import { type OpenSpan, tracing } from "../../../kit/spans.ts";
import { type TraceId, traceIdOf } from "../../../kit/trace.ts";
import { OutcomeUnknownError } from "../../../kit/transaction.ts";
import { serviceConfig } from "../../config.ts";
import { countClientRefusal } from "../../metrics.ts";
import { ProviderFailedError } from "../../providers.ts";
import {
  headersOf,
  presentOAuthRefusal,
  presentRefusal,
  type Refusal,
  type RefusalReason,
  refuse,
  ServiceError,
  statusOf,
} from "./refusal.ts";

/** Correlates a request with its log line and its effects. Decision D4 */
export type RequestTrail = { requestId: string; traceId: TraceId; clientId?: string | undefined };

/** A success. `body` is sent as JSON (undefined: no body), the others as they are, with their own content-type. */
export type Reply = { status: number; headers?: Record<string, string> } & (
  | { body: unknown }
  | { bodyText: string }
  | { bytes: Uint8Array<ArrayBuffer> }
  | { stream: ReadableStream<Uint8Array> }
);

/** The response to a creation; a header marks a replay. Decision D13 */
export function replyCreated(kind: "created" | "replayed", body: unknown): Reply {
  return { status: 201, body, ...(kind === "replayed" && { headers: { "idempotent-replayed": "true" } }) };
}

/** The connection is closed without an answer. `unsent` is what we would have answered; `cause` is for the log. */
export type Dropped = { unsent: Reply | Refusal; cause: string };

export type AuthenticatedCall = { operation: string; clientId: string; who: "client" | "user" };

/** A request and its answer, unredacted. */
export type AnsweredRequest = RequestTrail & {
  operation: string | undefined;
  method: string;
  url: string;
  requestHeaders: Headers;
  responseHeaders: Record<string, string>;
  /** No answer was sent: `status`, `reason` and the body are what it would have been. */
  isUnanswered: boolean;
  status: number;
  reason: RefusalReason | undefined;
  startedAt: Date;
  durationMs: number;
  userId: string | undefined;
  /** Undefined without a body or if it could not be parsed. */
  requestBody: unknown;
  responseBody: unknown;
  responseCharacters: number;
};

export type RequestHook = {
  /** Wraps an authenticated call of an intercepted client. `next` turns every error but an unknown outcome into a refusal. */
  around?: (call: AuthenticatedCall, next: () => Promise<Reply | Refusal>) => Promise<Reply | Refusal | Dropped>;
  answered: (request: AnsweredRequest) => void;
};

/** Data of a request that is never logged. */
export type RequestFacts = { body?: unknown; userId?: string };

export class ConnectionDroppedError extends Error {
  constructor() {
    super("The connection is closed without an answer.");
    this.name = "ConnectionDroppedError";
  }
}

/** `route` is the template and `listener` the API's or the operator's, for callers without a meter. */
type AnswerOptions = {
  operation?: string;
  isOAuth?: boolean;
  hook?: RequestHook | undefined;
  route?: string;
  listener?: "api" | "operator";
  meter?: Meter;
};

/**
 * Runs `work`, turns its outcome into a response and logs the request. Throws OutcomeUnknownError and
 * ConnectionDroppedError; the client must get no answer then.
 */
export function answerRequest(request: Request, options: AnswerOptions, work: Work): Promise<Response> {
  const spans = tracing();
  if (!spans) return answer(request, options, work);
  const { method } = request;
  const traceparent = request.headers.get("traceparent");
  const facts = { "http.request.method": method, "gangway.operation": options.operation };
  const name = options.operation ?? method;
  return spans.run({ name, kind: "server", traceparent, facts }, (span) => answer(request, options, work, span));
}

type Work = (trail: RequestTrail, facts: RequestFacts) => Promise<Reply | Refusal | Dropped>;

async function answer(
  request: Request,
  { operation, isOAuth = false, hook, route = "none", listener = "api", meter }: AnswerOptions,
  work: Work,
  span?: OpenSpan,
): Promise<Response> {
  const startedAt = new Date();
  const started = performance.now();
  const traceId = span?.traceId ?? traceIdOf(request.headers.get("traceparent"));
  const trail: RequestTrail = { requestId: randomUUID(), traceId };
  const facts: RequestFacts = {};
  const clientAddress = request.headers.get("x-gangway-client-address") || undefined;
  let lostOutcome: OutcomeUnknownError | undefined;
  const settled = await settle(trail, async () => {
    // Here and not in the routes, so that 404s, 405s, the reference and metrics share the limit.
    if (clientAddress !== undefined) await requireAddressWithinRate(clientAddress);
    return work(trail, facts);
  }).catch((error: unknown): Dropped => {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    lostOutcome = error;
    return { unsent: refuse("unavailable"), cause: "outcome_unknown" };
  });
  const dropped = "unsent" in settled ? settled : undefined;
  const outcome = "unsent" in settled ? settled.unsent : settled;
  const isRefusal = "refuse" in outcome;
  const status = isRefusal ? statusOf(outcome.refuse) : outcome.status;
  const { refuse: reason, cause } = isRefusal ? outcome : {};
  const present = isOAuth ? presentOAuthRefusal : presentRefusal;
  const body = isRefusal ? present(outcome, trail.requestId) : "body" in outcome ? outcome.body : undefined;
  const text = "bodyText" in outcome ? outcome.bodyText : body === undefined ? undefined : JSON.stringify(body);
  const { method, url } = request;
  const durationMs = Math.round((performance.now() - started) * 10) / 10;
  const { requestId, clientId } = trail;
  // Ids, our own words and numbers; nothing from a body, query or path. A null status: no answer was sent.
  const line = {
    requestId,
    traceId,
    clientId,
    clientAddress,
    operation,
    method,
    status: dropped ? null : status,
    reason: dropped ? undefined : reason,
    cause: dropped ? dropped.cause : cause,
    durationMs,
  };
  log().info(line, "request");
  (meter ?? requestMeter({ listener, method, route })).observe(dropped ? 0 : status, durationMs);
  if (reason === "rate_limited" || reason === "invalid_grant") countClientRefusal(clientId, reason);
  span?.note({
    "http.response.status_code": line.status ?? undefined,
    "gangway.request_id": requestId,
    "gangway.client_id": clientId,
    "gangway.reason": line.reason,
    "gangway.cause": line.cause,
  });
  if (dropped || status >= 500) span?.fail(line.reason ?? line.cause ?? String(status));
  hook?.answered({
    ...trail,
    operation,
    method,
    url,
    requestHeaders: request.headers,
    isUnanswered: dropped !== undefined,
    responseHeaders: (isRefusal ? headersOf(outcome) : outcome.headers) ?? {},
    status,
    reason,
    startedAt,
    durationMs,
    userId: facts.userId,
    requestBody: facts.body,
    responseBody: body,
    responseCharacters: text?.length ?? 0,
  });
  if (lostOutcome) throw lostOutcome;
  if (dropped) throw new ConnectionDroppedError();
  // Hono answers HEAD like GET, and drops the body without cancelling it.
  const unread = method === "HEAD" && "stream" in outcome ? outcome.stream : undefined;
  await unread?.cancel();
  return new Response(unread ? null : (rawBodyOf(outcome) ?? text ?? null), {
    status,
    headers: {
      ...(text !== undefined && { "content-type": "application/json" }),
      "request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...(isRefusal ? headersOf(outcome) : outcome.headers),
    },
  });
}

/** Runs `work` and turns every error but an unknown outcome into a refusal. */
export async function settle<Outcome>(trail: RequestTrail, work: () => Promise<Outcome>): Promise<Outcome | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) {
      trail.clientId ??= error.refusal.clientId;
      return error.refusal;
    }
    log().error({ ...trail, error: describeError(error) }, "a request failed unexpectedly");
    // Any answer could be wrong (`closeUnanswered`).
    if (error instanceof OutcomeUnknownError) throw error;
    if (isDatabaseUnavailable(error)) return refuse("unavailable", { cause: "database_unavailable" });
    if (error instanceof ProviderFailedError) return refuse("unavailable", { cause: "provider_failed" });
    return refuse("internal_error");
  }
}

function rawBodyOf(outcome: Reply | Refusal): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | undefined {
  if ("stream" in outcome) return outcome.stream;
  return "bytes" in outcome ? outcome.bytes : undefined;
}

// Decision D17: throughput limits, in memory per process. Limits on guessing are in PostgreSQL instead.
const limiters = processWide("service.rate_limiters", () => {
  const { requestsPerSecondMax: tokens } = serviceConfig();
  return {
    address: perSecond(10 * tokens),
    client: perSecond(5 * tokens),
    tokens: perSecond(tokens),
  };
});

/** Counts one request from this address before we do any work for it. Throws rate_limited. */
function requireAddressWithinRate(address: string): Promise<void> {
  return consume(limiters().address, clientNetwork(address), "address_rate");
}

/** Counts a request that the gateway answers without the API; false if its address is over the limit. */
export async function isAddressWithinRate(address: string): Promise<boolean> {
  return (await findExcess(limiters().address, clientNetwork(address))) === undefined;
}

export function requireClientWithinRate(clientId: string, { isOAuth }: { isOAuth: boolean }): Promise<void> {
  const { tokens, client } = limiters();
  return isOAuth ? consume(tokens, clientId, "client_token_rate") : consume(client, clientId, "client_rate");
}

async function consume(limiter: RateLimiterMemory | undefined, key: string, cause: string): Promise<void> {
  const excess = await findExcess(limiter, key);
  if (!excess) return;
  const retryAfter = String(Math.max(1, Math.ceil(excess.msBeforeNext / 1000)));
  throw new ServiceError(refuse("rate_limited", { cause, headers: { "retry-after": retryAfter } }));
}

// Counts a request; undefined if it's within the limit.
async function findExcess(limiter: RateLimiterMemory | undefined, key: string): Promise<RateLimiterRes | undefined> {
  try {
    await limiter?.consume(key);
    return undefined;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return refusal;
  }
}

function perSecond(points: number): RateLimiterMemory | undefined {
  return points > 0 ? new RateLimiterMemory({ points, duration: 1 }) : undefined;
}
