import { randomBytes, randomUUID } from "node:crypto";
import type { Answer, FieldProblem, Refused, Unreachable, Unreadable } from "./answer.ts";
import { excerptOf, masked } from "./excerpt.ts";
import type { Pauses } from "./pauses.ts";
import type { Read } from "./reading.ts";
import { readRefusal } from "./refusal.ts";

/** The 32 hexadecimal digits that join everything one action caused (W3C Trace Context). */
export type TraceId = string;

/** Where log lines go; pino's loggers fit. */
export type ServiceLog = Record<"info" | "warn" | "error", (entry: Record<string, unknown>, message: string) => void>;

/** Joins a call to the action that caused it; the client's current trace when left out. */
export type CallOptions = { traceId?: TraceId | undefined };

/** One call, and how its answer is read. */
export type Call<Body> = CallOptions & {
  method: "GET" | "POST";
  /** Relative to the service's base address, query included. */
  path: string;
  /** Left out for what anybody may read. */
  authorization?: string;
  read: Read<Body>;
  /** The id of the record that is asked for, should the answer leave it out. */
  id?: string;
  body?: Record<string, unknown>;
  /** The body goes as a form (application/x-www-form-urlencoded) and not as JSON. */
  isForm?: boolean;
  idempotencyKey?: string | undefined;
};

/**
 * One call as it was on the wire, credentials and personal data included. `response`: none when nothing came.
 * `problems`: the fields of a success that were not understood, needed or not.
 */
export type ObservedCall = {
  traceId: TraceId;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  answer: Answer<unknown>;
  response: { headers: Headers; text: string; requestId: string | undefined } | undefined;
  problems: FieldProblem[];
  startedAt: Date;
  durationMs: number;
};

/** What a call says of itself to whoever makes a span of it: a route without ids, and the trace. */
export type CallSpan = { name: string; kind: "client"; traceId: TraceId };

/** The span of a call: the `traceparent` to send, and how to say what became of it. */
export type CallingSpan = {
  traceparent: string;
  note: (facts: Record<string, number>) => void;
  fail: (word: string) => void;
};

/** Does a call as a span. Without spans it is just done. */
export type InSpan = <T>(start: CallSpan, work: (span?: CallingSpan) => Promise<T>) => Promise<T>;

/** How to reach the service, and what the client's settings say of each call; `timeoutMs` is the longest that one lasts. */
export type Connection = {
  baseUrl: string;
  idempotencyHeader: string;
  timeoutMs: number;
  log: ServiceLog;
  currentTraceId: () => TraceId | undefined;
  observe: ((call: ObservedCall) => void) | undefined;
  pauses: Pauses;
  inSpan: InSpan;
};

/** Makes one request and reads its answer. */
export type CallService = <Body>(call: Call<Body>) => Promise<Answer<Body>>;

/**
 * One request to the service. Redirects are not followed, so that a credential goes nowhere but to the configured address. While
 * the service asks to wait with this very call (`retry-after`), its refusal is the answer and nothing is sent.
 */
export async function callService<Body>(connection: Connection, call: Call<Body>): Promise<Answer<Body>> {
  const traceId = call.traceId ?? connection.currentTraceId() ?? randomUUID().replaceAll("-", "");
  const paused = connection.pauses.find(meantBy(call));
  if (paused) {
    connection.log.info({ ...entryOf(call, traceId), status: paused.status }, "not sent: the service asked to wait");
    return paused;
  }
  const name = `${call.method} ${routeOf(call.path)}`;
  return connection.inSpan({ name, kind: "client", traceId }, async (span) => {
    const answer = await makeCall(connection, call, { traceId, traceparent: span?.traceparent });
    if (answer.kind !== "unreachable") span?.note({ "http.response.status_code": answer.status });
    if (answer.kind !== "ok") span?.fail(answer.kind === "unreachable" ? answer.cause : answer.kind);
    return answer;
  });
}

// Ids are no part of a name, of which there are to be few.
function routeOf(path: string): string {
  const segments = (path.split("?")[0] ?? "").split("/");
  return segments.map((segment) => (/^(?:v\d|\.?[a-z]+(?:[_-][a-z]+)*)?$/.test(segment) ? segment : "{id}")).join("/");
}

async function makeCall<Body>(
  connection: Connection,
  call: Call<Body>,
  {
    traceId,
    traceparent = `00-${traceId}-${randomBytes(8).toString("hex")}-01`,
  }: { traceId: TraceId; traceparent: string | undefined },
): Promise<Answer<Body>> {
  const { method, path, body } = call;
  const entry = entryOf(call, traceId);
  const headers = headersOf(connection, call, traceparent);
  const startedAt = new Date();
  const started = performance.now();
  const { answer, ...heard } = await request(connection, call, entry, headers);
  if (answer.kind === "refused") {
    connection.pauses.note(meantBy(call), answer, heard.response?.headers.get("retry-after") ?? null);
  }
  const durationMs = Math.round(performance.now() - started);
  const outcome = answer.kind === "unreachable" ? {} : { status: answer.status };
  connection.log.info({ ...entry, kind: answer.kind, ...outcome, durationMs }, "called the service");
  tellObserver(connection, { traceId, method, path, headers, body, answer, ...heard, startedAt, durationMs });
  return answer;
}

function entryOf<Body>({ method, path }: Call<Body>, traceId: TraceId) {
  return { traceId, method, path: path.split("?")[0] };
}

/** What makes two calls the same one. */
function meantBy<Body>({ method, path, authorization, idempotencyKey, body, isForm }: Call<Body>): unknown[] {
  return [method, path, authorization, idempotencyKey, body, isForm];
}

function tellObserver({ observe, log }: Connection, call: ObservedCall): void {
  try {
    observe?.(call);
  } catch (error) {
    log.error({ error, traceId: call.traceId }, "observing a call failed");
  }
}

type Entry = { traceId: TraceId; method: string; path: string | undefined };

type Heard<Body> = { answer: Answer<Body> } & Pick<ObservedCall, "response" | "problems">;

async function request<Body>(
  connection: Connection,
  call: Call<Body>,
  entry: Entry,
  headers: Record<string, string>,
): Promise<Heard<Body>> {
  const { baseUrl, timeoutMs, log } = connection;
  let response: Response;
  try {
    response = await fetch(baseUrl + call.path, {
      method: call.method,
      headers,
      ...(call.body !== undefined && { body: call.isForm ? asForm(call.body) : JSON.stringify(call.body) }),
      redirect: "manual",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const answer = describeSilence(error);
    log.warn({ ...entry, cause: answer.cause, description: answer.description }, "the service did not answer");
    return { answer, response: undefined, problems: [] };
  }
  // The status came, so it answered, even when its body is cut off.
  const text = await response.text().catch(() => "");
  const body = jsonOf(text);
  const received = { text, body, status: response.status, headers: response.headers };
  const heard = { ...received, requestId: requestIdOf(response.headers, body) };
  return response.ok
    ? readSuccess(connection, call, entry, heard)
    : { answer: refuse(log, entry, heard), response: heard, problems: [] };
}

type Received = { status: number; headers: Headers; text: string; body: unknown; requestId: string | undefined };

function readSuccess<Body>({ log }: Connection, call: Call<Body>, entry: Entry, response: Received): Heard<Body> {
  const { status, headers, text, body, requestId } = response;
  const reading = call.read(body, { id: call.id });
  if (reading.kind === "ok") {
    const { notes } = reading;
    if (notes.length > 0)
      log.warn({ ...entry, status, problems: notes }, "the service answered what is not understood in part");
    const isReplay = headers.get("idempotent-replayed") === "true";
    return { answer: { kind: "ok", status, body: reading.body, isReplay }, response, problems: notes };
  }
  const { problems } = reading;
  const excerpt = excerptOf(text, body);
  log.error({ ...entry, status, problems, excerpt }, "the service answered what is not understood");
  const ids = { ...idOfLocation(headers.get("location")), ...reading.ids };
  return { answer: { kind: "unreadable", status, ids, problems, requestId }, response, problems };
}

function refuse(log: ServiceLog, entry: Entry, { status, text, body, requestId }: Received): Refused {
  const refusal = readRefusal(body, text);
  const description = masked(refusal.description);
  const { reason, errors } = refusal;
  const known = reason === "unknown" ? { excerpt: excerptOf(text, body) } : {};
  const fields = errors.map(({ field, message }) => ({ field: masked(field), message: masked(message) }));
  log.warn(
    { ...entry, status, reason: masked(reason), description, errors: fields, requestId, ...known },
    "the service refused",
  );
  return { kind: "refused", status, ...refusal, requestId };
}

function headersOf<Body>(
  { idempotencyHeader }: Connection,
  call: Call<Body>,
  traceparent: string,
): Record<string, string> {
  const { authorization, body, isForm, idempotencyKey } = call;
  return {
    accept: "application/json",
    ...(authorization && { authorization }),
    traceparent,
    ...(body !== undefined && {
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
    }),
    // Decision D13
    ...(idempotencyKey && { [idempotencyHeader]: idempotencyKey }),
  };
}

function asForm(body: Record<string, unknown>): string {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  return new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
}

// Where these happen, no byte of a request has left.
const beforeConnecting = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

function describeSilence(error: unknown): Unreachable {
  if (!(error instanceof Error)) return { kind: "unreachable", cause: "cut", description: "The request failed." };
  if (error.name === "TimeoutError") return { kind: "unreachable", cause: "timeout", description: error.message };
  const reason = error.cause instanceof Error ? error.cause : error;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : "";
  const cause = beforeConnecting.test(code) ? "no_connection" : "cut";
  // Of several addresses that were tried, the error has a code and no message.
  return { kind: "unreachable", cause, description: reason.message || code || error.message };
}

function requestIdOf(headers: Headers, body: unknown): string | undefined {
  const fromBody = typeof body === "object" && body !== null && "request_id" in body ? body.request_id : undefined;
  return (
    headers.get("request-id") ?? headers.get("x-request-id") ?? (typeof fromBody === "string" ? fromBody : undefined)
  );
}

function idOfLocation(location: string | null): Unreadable["ids"] {
  const [, segment] = /\/([^/?#]+)\/?(?:[?#].*)?$/.exec(location ?? "") ?? [];
  return segment ? { id: segment } : {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The `authorization` header of client-level calls; both parts are form-url-encoded first. Decision D2 */
export function asClient({ clientId, clientSecret }: { clientId: string; clientSecret: string }): string {
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** The `authorization` header of calls on behalf of the user whose access token this is. */
export function asUser(accessToken: string): string {
  return `Bearer ${accessToken}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
