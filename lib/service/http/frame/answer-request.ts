import { randomUUID } from "node:crypto";
import type { FaultCut } from "../../../contract/sandbox-faults.ts";
import { isDatabaseUnavailable } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { log } from "../../../kit/log.ts";
import { type OpenSpan, tracing } from "../../../kit/spans.ts";
import { type TraceId, traceIdOf } from "../../../kit/trace.ts";
import { OutcomeUnknownError } from "../../../kit/transaction.ts";
import { countRequest } from "../../metrics.ts";
import { requireAddressWithinRate } from "./rate-limits.ts";
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

/** What joins a request to its log line and to everything it causes. Decision D4 */
export type RequestTrail = { requestId: string; traceId: TraceId; clientId?: string | undefined };

/**
 * A success: `body` is written as JSON (undefined: no body at all), `bodyText` goes out byte for byte as it stands, `bytes`
 * without being copied for each reader, `stream` as it comes; these three may name another content-type.
 */
export type Reply = { status: number; headers?: Record<string, string> } & (
  | { body: unknown }
  | { bodyText: string }
  | { bytes: Uint8Array<ArrayBuffer> }
  | { stream: ReadableStream<Uint8Array> }
);

/** What was asked and answered, nothing in it redacted. For what a sandbox keeps alone (Decisions D16 and D20). */
export type AnsweredRequest = RequestTrail & {
  operation: string | undefined;
  method: string;
  url: string;
  requestHeaders: Headers;
  responseHeaders: Record<string, string>;
  status: number;
  reason: RefusalReason | undefined;
  /** By the clock of the machine, as its end is taken: whatever began after something had ended is never dated before it. */
  startedAt: Date;
  durationMs: number;
  /** Of a call without an answer when its connection was cut. Its status, body and headers are those that nobody was sent. */
  cut: FaultCut | undefined;
  /** Whose token it was, of a call with one that is valid. */
  userId: string | undefined;
  /** Somebody had asked that this call be slow, fail or get no answer. */
  isFaulted: boolean;
  /** The body as it was read; undefined when there was none or when it could not be read. */
  requestBody: unknown;
  responseBody: unknown;
  responseCharacters: number;
};

/** What a request turns out to hold while it is answered, beside its trail, which is logged. With `cut` nobody is sent the answer. */
export type SeenRequest = { body?: unknown; userId?: string; isFaulted?: boolean; cut?: FaultCut };

/** A sandbox was asked to cut the connection of a request: nothing may be answered. */
export class ConnectionCutError extends Error {
  constructor() {
    super("This connection is cut because PUT /sandbox/faults asked for it.");
    this.name = "ConnectionCutError";
  }
}

/** All that the log line of a request may hold: ids, words of ours and numbers; nothing that a body, query or path held. */
type RequestLine = RequestTrail & {
  /** Unknown without a gateway (in a test). */
  clientAddress: string | undefined;
  operation: string | undefined;
  method: string;
  /** null: no answer was sent. */
  status: number | null;
  reason: RefusalReason | undefined;
  cause: string | undefined;
  durationMs: number;
};

type Answering = { operation?: string; isOAuth?: boolean; observe?: ((answered: AnsweredRequest) => void) | undefined };

/**
 * Runs `work` and makes its outcome a response: the headers of every response, the documented body of every refusal, and
 * one log line, which also tells the cause of a refusal. Any other exception is a bug: it is logged with the request id and
 * answered without details. Throws OutcomeUnknownError and ConnectionCutError, which must not be answered at all.
 */
export function answerRequest(request: Request, answering: Answering, work: Work): Promise<Response> {
  const spans = tracing();
  if (!spans) return answer(request, answering, work);
  const { method } = request;
  const traceparent = request.headers.get("traceparent");
  const facts = { "http.request.method": method, "gangway.operation": answering.operation };
  const name = answering.operation ?? method;
  return spans.run({ name, kind: "server", traceparent, facts }, (span) => answer(request, answering, work, span));
}

type Work = (trail: RequestTrail, seen: SeenRequest) => Promise<Reply | Refusal>;

async function answer(
  request: Request,
  { operation, isOAuth = false, observe }: Answering,
  work: Work,
  span?: OpenSpan,
): Promise<Response> {
  const startedAt = new Date();
  const started = performance.now();
  const traceId = span?.traceId ?? traceIdOf(request.headers.get("traceparent"));
  const trail: RequestTrail = { requestId: randomUUID(), traceId };
  const seen: SeenRequest = {};
  const clientAddress = request.headers.get("x-gangway-client-address") || undefined;
  const outcome = await settle(trail, async () => {
    // Here and not in a route, so that what is no route (404, 405, the reference, metrics) has the same limit.
    if (clientAddress !== undefined) await requireAddressWithinRate(clientAddress);
    return work(trail, seen);
  });
  const isRefusal = "refuse" in outcome;
  const status = isRefusal ? statusOf(outcome.refuse) : outcome.status;
  const { refuse: reason, cause } = isRefusal ? outcome : {};
  const body = isRefusal ? refusalBody(outcome, trail, isOAuth) : replyBody(outcome);
  const text = isRefusal || !("bodyText" in outcome) ? jsonText(body) : outcome.bodyText;
  const { method, url } = request;
  const durationMs = Math.round((performance.now() - started) * 10) / 10;
  const { requestId, clientId } = trail;
  const line: RequestLine = {
    requestId,
    traceId,
    clientId,
    clientAddress,
    operation,
    method,
    status: seen.cut ? null : status,
    reason: seen.cut ? undefined : reason,
    cause: seen.cut ? "sandbox_fault" : cause,
    durationMs,
  };
  log().info(line, "request");
  if (!seen.cut) countRequest({ operation, status, durationMs });
  span?.note({
    "http.response.status_code": line.status ?? undefined,
    "gangway.request_id": requestId,
    "gangway.client_id": clientId,
    "gangway.reason": line.reason,
    "gangway.cause": line.cause,
  });
  if (seen.cut || status >= 500) span?.fail(line.reason ?? line.cause ?? String(status));
  observe?.({
    ...trail,
    operation,
    method,
    url,
    requestHeaders: request.headers,
    responseHeaders: (isRefusal ? headersOf(outcome) : outcome.headers) ?? {},
    status,
    reason,
    startedAt,
    durationMs,
    cut: seen.cut,
    userId: seen.userId,
    isFaulted: seen.isFaulted ?? false,
    requestBody: seen.body,
    responseBody: body,
    responseCharacters: text?.length ?? 0,
  });
  if (seen.cut) throw new ConnectionCutError();
  return new Response(rawBodyOf(outcome) ?? text ?? null, {
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

async function settle(trail: RequestTrail, work: () => Promise<Reply | Refusal>): Promise<Reply | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) {
      trail.clientId ??= error.refusal.clientId;
      return error.refusal;
    }
    log().error({ ...trail, error: describeError(error) }, "a request failed unexpectedly");
    // Neither done nor failed: whoever answers must not know either (`answerNothing`).
    if (error instanceof OutcomeUnknownError) throw error;
    if (isDatabaseUnavailable(error)) return refuse("unavailable", { cause: "database_unavailable" });
    return refuse("internal_error");
  }
}

function refusalBody(refusal: Refusal, { requestId }: RequestTrail, isOAuth: boolean): unknown {
  return isOAuth ? presentOAuthRefusal(refusal) : presentRefusal(refusal, requestId);
}

function replyBody(reply: Reply): unknown {
  return "body" in reply ? reply.body : undefined;
}

function jsonText(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

function rawBodyOf(outcome: Reply | Refusal): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | undefined {
  if ("stream" in outcome) return outcome.stream;
  return "bytes" in outcome ? outcome.bytes : undefined;
}
