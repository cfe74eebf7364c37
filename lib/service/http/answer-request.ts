import { randomUUID } from "node:crypto";
import { errorStatuses } from "../../contract/errors.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { isDatabaseUnavailable } from "../../kit/postgres.ts";
import { type TraceId, traceIdOf } from "../../kit/trace.ts";
import { presentOAuthRefusal, presentRefusal, type Refusal, ServiceError } from "./service-error.ts";

/** What joins a request to its log line and to everything it causes. Decision D4 */
export type RequestTrail = { requestId: string; traceId: TraceId; clientId?: string | undefined };

/** A success: `body` is written as JSON (undefined: no body at all), `bodyText` goes out byte for byte as it stands. */
export type Reply = { status: number; headers?: Record<string, string> } & ({ body: unknown } | { bodyText: string });

type Answering = { operation?: string; isOAuth?: boolean };

/**
 * Runs `work` and makes its outcome a response: the headers of every response, the documented body of every refusal, one log
 * line. What is thrown and no refusal is a bug: logged with the request id, answered bare.
 */
export async function answerRequest(
  request: Request,
  { operation, isOAuth = false }: Answering,
  work: (trail: RequestTrail) => Promise<Reply | Refusal>,
): Promise<Response> {
  const startedAt = performance.now();
  const trail: RequestTrail = { requestId: randomUUID(), traceId: traceIdOf(request.headers.get("traceparent")) };
  const outcome = await settle(trail, work);
  const isRefusal = "refuse" in outcome;
  const status = isRefusal ? errorStatuses[outcome.refuse] : outcome.status;
  const text = isRefusal ? refusalText(outcome, trail, isOAuth) : replyText(outcome);
  log().info(
    {
      ...trail,
      operation,
      method: request.method,
      status,
      ...(isRefusal && { reason: outcome.refuse }),
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    },
    "request",
  );
  return new Response(text ?? null, {
    status,
    headers: {
      ...(text !== undefined && { "content-type": "application/json" }),
      "request-id": trail.requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...outcome.headers,
    },
  });
}

async function settle(
  trail: RequestTrail,
  work: (trail: RequestTrail) => Promise<Reply | Refusal>,
): Promise<Reply | Refusal> {
  try {
    return await work(trail);
  } catch (error) {
    if (error instanceof ServiceError) return error.refusal;
    log().error({ ...trail, error: describeError(error) }, "a request failed unexpectedly");
    if (isDatabaseUnavailable(error)) {
      return { refuse: "unavailable", description: "Try again in a moment.", headers: { "retry-after": "1" } };
    }
    return { refuse: "internal_error", description: "Something went wrong on our side." };
  }
}

function refusalText(refusal: Refusal, { requestId }: RequestTrail, isOAuth: boolean): string {
  return JSON.stringify(isOAuth ? presentOAuthRefusal(refusal) : presentRefusal(refusal, requestId));
}

function replyText(reply: Reply): string | undefined {
  if ("bodyText" in reply) return reply.bodyText;
  return reply.body === undefined ? undefined : JSON.stringify(reply.body);
}
