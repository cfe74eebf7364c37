import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  type Answer,
  type FieldProblem,
  type Refused,
  readRefusal,
  type Unreachable,
  type Unreadable,
} from "./answer.ts";
import { excerptOf, masked } from "./excerpt.ts";
import type { Read, Reading } from "./reading.ts";

/** A W3C trace ID: the 32 hexadecimal digits shared by everything that one action causes. */
export type TraceId = string;

/** Where log lines go; a pino logger fits. */
export type ServiceLog = Record<"info" | "warn" | "error", (entry: Record<string, unknown>, message: string) => void>;

/** The trace that a call belongs to; the client's current one by default. */
export type CallOptions = { traceId?: TraceId | undefined };

/** One call, and how to read its answer. */
export type Call<Body> = CallOptions & {
  method: "GET" | "POST";
  /** Relative to the service's base address, query included. */
  path: string;
  /** Omitted for public documents. */
  authorization?: string;
  read: Read<Body>;
  /** The requested record's id, in case the answer omits it. */
  id?: string;
  body?: Record<string, unknown>;
  /** Sends the body as application/x-www-form-urlencoded instead of JSON. */
  isForm?: boolean;
  idempotencyKey?: string | undefined;
};

/**
 * One call as it was on the wire, credentials and personal data included. `response`: undefined if none arrived.
 * `problems`: a success's unreadable fields, required or not.
 */
export type ObservedCall = {
  traceId: TraceId;
  method: string;
  path: string;
  /** The path without ids. */
  route: string;
  headers: Record<string, string>;
  body: unknown;
  answer: Answer<unknown>;
  response: { headers: Headers; text: string; requestId: string | undefined } | undefined;
  problems: FieldProblem[];
  startedAt: Date;
  durationMs: number;
};

/** Starts a call's span; `name` is the method and the route without ids. */
export type CallSpan = { name: string; kind: "client"; traceId: TraceId };

/** A call's span: the `traceparent` to send, and how to record the outcome. */
export type CallingSpan = {
  traceparent: string;
  note: (facts: Record<string, number>) => void;
  fail: (word: string) => void;
};

/** Runs a call inside a span, or without one. */
export type InSpan = <T>(start: CallSpan, work: (span?: CallingSpan) => Promise<T>) => Promise<T>;

/** What all calls of a client share. */
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

export type CallService = <Body>(call: Call<Body>) => Promise<Answer<Body>>;

/**
 * Sends one request to the service. Redirects are not followed, so credentials go only to the configured address. While an
 * earlier `retry-after` for the same call lasts, nothing is sent and that refusal is the answer.
 */
export async function callService<Body>(connection: Connection, call: Call<Body>): Promise<Answer<Body>> {
  const traceId = call.traceId ?? connection.currentTraceId() ?? randomUUID().replaceAll("-", "");
  const paused = connection.pauses.find(identityOf(call));
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

// Replaces ids, to keep the number of span names small.
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
  const { answer, ...received } = await request(connection, call, entry, headers);
  if (answer.kind === "refused") {
    connection.pauses.note(identityOf(call), answer, received.response?.headers.get("retry-after") ?? null);
  }
  const durationMs = Math.round(performance.now() - started);
  const outcome = answer.kind === "unreachable" ? {} : { status: answer.status };
  connection.log.info({ ...entry, kind: answer.kind, ...outcome, durationMs }, "called the service");
  const route = routeOf(path);
  notifyObserver(connection, {
    traceId,
    method,
    path,
    route,
    headers,
    body,
    answer,
    ...received,
    startedAt,
    durationMs,
  });
  return answer;
}

function entryOf<Body>({ method, path }: Call<Body>, traceId: TraceId) {
  return { traceId, method, path: path.split("?")[0] };
}

/** Two calls with equal parts are the same call. */
function identityOf<Body>({ method, path, authorization, idempotencyKey, body, isForm }: Call<Body>): unknown[] {
  return [method, path, authorization, idempotencyKey, body, isForm];
}

function notifyObserver({ observe, log }: Connection, call: ObservedCall): void {
  try {
    observe?.(call);
  } catch (error) {
    log.error({ error, traceId: call.traceId }, "observing a call failed");
  }
}

type Entry = { traceId: TraceId; method: string; path: string | undefined };

type Reception<Body> = { answer: Answer<Body> } & Pick<ObservedCall, "response" | "problems">;

async function request<Body>(
  connection: Connection,
  call: Call<Body>,
  entry: Entry,
  headers: Record<string, string>,
): Promise<Reception<Body>> {
  const { baseUrl, timeoutMs, log } = connection;
  const noResponse = (error: unknown): Reception<Body> => {
    const answer = describeNetworkError(error);
    log.warn({ ...entry, cause: answer.cause, description: answer.description }, "the service did not answer");
    return { answer, response: undefined, problems: [] };
  };
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
    return noResponse(error);
  }
  let text = "";
  try {
    text = await readText(response);
  } catch (error) {
    // A status counts even if the body is cut off, but a read needs its body.
    if (response.ok && call.method === "GET") return noResponse(error);
  }
  const body = jsonOf(text);
  const { status, headers: responseHeaders } = response;
  const received = { status, headers: responseHeaders, text, body, requestId: requestIdOf(responseHeaders, body) };
  return response.ok
    ? readSuccess(connection, call, entry, received)
    : { answer: refuse(log, entry, received), response: received, problems: [] };
}

// A page of records takes a small part of it. More would fill our memory.
const bodyBytesMax = 8 * 1024 * 1024;

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bodyBytesMax) throw new Error(`The body is longer than ${bodyBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

type Received = { status: number; headers: Headers; text: string; body: unknown; requestId: string | undefined };

function readSuccess<Body>({ log }: Connection, call: Call<Body>, entry: Entry, response: Received): Reception<Body> {
  const { status, headers, text, body, requestId } = response;
  const reading = readBody(call, body);
  if (reading.kind === "ok") {
    const { notes } = reading;
    if (notes.length > 0)
      log.warn({ ...entry, status, problems: notes }, "the service's answer could not be read in part");
    const isReplay = headers.get("idempotent-replayed") === "true";
    return { answer: { kind: "ok", status, body: reading.body, isReplay }, response, problems: notes };
  }
  const { problems } = reading;
  const excerpt = excerptOf(text, body);
  log.error({ ...entry, status, problems, excerpt }, "the service's answer could not be read");
  const ids = { ...idOfLocation(headers.get("location")), ...reading.ids };
  return { answer: { kind: "unreadable", status, ids, problems, requestId }, response, problems };
}

function readBody<Body>({ read, id }: Call<Body>, body: unknown): Reading<Body> {
  try {
    return read(body, { id });
  } catch (error) {
    // The call stack overflowed.
    if (!(error instanceof RangeError)) throw error;
    return { kind: "unreadable", ids: {}, problems: [{ field: "", message: "the body is nested too deeply" }] };
  }
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

/** An id in a path. */
export function pathSegment(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

// These fail before anything is sent.
const beforeConnecting =
  /^(ERR_INVALID_URL|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

const malformedAddress = /^(Invalid URL|unknown scheme|bad port)$/;

function describeNetworkError(error: unknown): Unreachable {
  if (!(error instanceof Error)) return { kind: "unreachable", cause: "cut", description: "The request failed." };
  if (error.name === "TimeoutError") return { kind: "unreachable", cause: "timeout", description: error.message };
  const reason = error.cause instanceof Error ? error.cause : error;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : "";
  // The address or a header is malformed: thrown without a cause, unless by the connection.
  const isMalformed =
    error instanceof TypeError &&
    (malformedAddress.test(reason.message) || (error.cause === undefined && error.message !== "fetch failed"));
  // An open connection can fail with the same codes.
  const isOpen = "syscall" in reason && (reason.syscall === "read" || reason.syscall === "write");
  const cause = isMalformed || (beforeConnecting.test(code) && !isOpen) ? "no_connection" : "cut";
  // An error after trying several addresses has a code but no message.
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

/** The `authorization` header of calls on a user's behalf. */
export function asUser(accessToken: string): string {
  return `Bearer ${accessToken}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** The calls that this process must not send yet because of a `retry-after`. */
export type Pauses = {
  /** The refusal to return while this call is paused. */
  find: (call: unknown) => Refused | undefined;
  /** Pauses the call if its refusal (429 or 503) says how long to wait. */
  note: (call: unknown, refused: Refused, retryAfter: string | null) => void;
};

// A service in maintenance may ask for hours but be back sooner.
const secondsMax = 60 * 60;

/** Kept in memory. Calls are the same only if everything sent is equal, credentials and key included. */
export function createPauses(): Pauses {
  const pauses = new Map<string, { refused: Refused; endsAtMs: number }>();

  function find(call: unknown): Refused | undefined {
    // The usual case: skips the hash.
    if (pauses.size === 0) return undefined;
    const pause = pauses.get(keyOf(call));
    return pause && pause.endsAtMs > performance.now() ? pause.refused : undefined;
  }

  function note(call: unknown, refused: Refused, retryAfter: string | null): void {
    const seconds = Math.min(secondsOf(retryAfter), secondsMax);
    if ((refused.status !== 429 && refused.status !== 503) || !(seconds > 0)) return;
    const nowMs = performance.now();
    for (const [key, { endsAtMs }] of pauses) if (endsAtMs <= nowMs) pauses.delete(key);
    pauses.set(keyOf(call), { refused, endsAtMs: nowMs + seconds * 1000 });
  }

  return { find, note };
}

/** RFC 9110 section 10.2.3: seconds or a date; NaN for anything else. */
function secondsOf(retryAfter: string | null): number {
  if (retryAfter === null) return Number.NaN;
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
}

// Hashed, so that credentials don't stay in memory after the call.
function keyOf(call: unknown): string {
  return createHash("sha256").update(JSON.stringify(call)).digest("base64");
}
