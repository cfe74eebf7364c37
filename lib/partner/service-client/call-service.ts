import type * as z from "zod/mini";
import { errorBody, type FieldProblem, oauthErrorBody } from "../../contract/errors.ts";
import { log } from "../../kit/log.ts";
import { newTraceId, type TraceId, traceparentOf } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";

/** The service said no, so nothing happened. `reason` is what to branch on; `errors` name fields and are empty but for validation_failed. */
export type Refused = {
  kind: "refused";
  status: number;
  reason: string;
  description: string;
  errors: FieldProblem[];
  requestId: string | undefined;
};

/** No answer, or none that can be understood: whether the call took effect is unknown, so a retry needs its idempotency key. */
export type Unreachable = { kind: "unreachable" };

/** What became of a call: an answer that fits the contract, a refusal, or silence. Never an exception. */
export type Answer<Body> = { kind: "ok"; body: Body } | Refused | Unreachable;

/** Joins a call to the action that caused it; a new trace when left out. */
export type CallOptions = { traceId?: TraceId | undefined };

type Call<Schema extends z.ZodMiniType> = CallOptions & {
  method: "GET" | "POST";
  /** Relative to the service's base address, query included. */
  path: string;
  /** Left out for what anybody may read. */
  authorization?: string;
  schema: Schema;
  body?: unknown;
  idempotencyKey?: string | undefined;
};

// Longer than the service takes for its own slowest call, the customer endpoint (5 s, Decision D11).
const timeoutMs = 10_000;

/** One request to the service. Redirects are not followed, so that a credential goes nowhere but to the configured address. */
export async function callService<Schema extends z.ZodMiniType>(call: Call<Schema>): Promise<Answer<z.output<Schema>>> {
  const traceId = call.traceId ?? newTraceId();
  const startedAt = performance.now();
  const answer = await request(call, traceId);
  const durationMs = Math.round(performance.now() - startedAt);
  const outcome = answer.kind === "refused" ? { status: answer.status, reason: answer.reason } : {};
  const path = call.path.split("?")[0];
  log().info({ traceId, method: call.method, path, kind: answer.kind, ...outcome, durationMs }, "called the service");
  return answer;
}

async function request<Schema extends z.ZodMiniType>(
  call: Call<Schema>,
  traceId: TraceId,
): Promise<Answer<z.output<Schema>>> {
  try {
    const response = await fetch(partnerConfig().serviceBaseUrl + call.path, {
      method: call.method,
      headers: headersOf(call, traceId),
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      redirect: "error",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) return refusal(response, text);
    const parsed = call.schema.safeParse(jsonOf(text));
    if (parsed.success) return { kind: "ok", body: parsed.data };
    const fields = parsed.error.issues.map((issue) => issue.path.join("."));
    log().error({ traceId, path: call.path.split("?")[0], fields }, "the service's answer does not fit the contract");
  } catch (error) {
    log().warn({ traceId, error: error instanceof Error ? error.message : "" }, "the service did not answer");
  }
  return { kind: "unreachable" };
}

function headersOf({ authorization, body, idempotencyKey }: Call<z.ZodMiniType>, traceId: TraceId) {
  return {
    accept: "application/json",
    ...(authorization && { authorization }),
    traceparent: traceparentOf(traceId),
    ...(body !== undefined && { "content-type": "application/json" }),
    // Decision D13
    ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
  };
}

// Error bodies are a decision and not published (Decision D5): against another base the status alone must do.
function refusal(response: Response, text: string): Refused {
  const body = jsonOf(text);
  const problem = errorBody.safeParse(body);
  const oauthProblem = oauthErrorBody.safeParse(body);
  const known = problem.success
    ? { reason: problem.data.reason, description: problem.data.description, errors: problem.data.errors ?? [] }
    : oauthProblem.success
      ? { reason: oauthProblem.data.error, description: oauthProblem.data.error_description ?? "", errors: [] }
      : { reason: "unknown", description: "", errors: [] };
  const requestId = response.headers.get("request-id") ?? (problem.success ? problem.data.request_id : undefined);
  return { kind: "refused", status: response.status, ...known, requestId };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
