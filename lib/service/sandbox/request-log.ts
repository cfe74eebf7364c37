import { oauthErrorBody } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { redactBody, redactText } from "../domain/redact-body.ts";
import { type ApiRequest, insertApiRequests } from "../storage/api-requests.ts";

/** A request as it was answered, with nothing redacted yet; `responseBody` before it became JSON. */
export type LoggableRequest = Omit<ApiRequest, "sequence" | "path" | "answeredRealAt"> & { url: string };

const { requestsKeptMax } = limits;

// Short enough to look live; under load, long enough to cost the requests next to nothing.
const delayMs = 50;
const pauseMs = 500;
const clientsMax = 100;

// Raw, because redacting is work and under load most of what is put here is pushed out again before it is written.
const waiting = new Map<string, (LoggableRequest & { answeredRealAt: Date })[]>();
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> = Promise.resolve();
let lastWriteAtMs = 0;

/** Keeps an answered request for its client to look at. Returns at once and never throws: it is written a moment later. */
export function logRequest(request: LoggableRequest): void {
  const { clientId } = request;
  let own = waiting.get(clientId);
  if (!own) {
    if (waiting.size >= clientsMax) return;
    own = [];
    waiting.set(clientId, own);
  }
  own.push({ ...request, answeredRealAt: new Date() });
  // Cut in halves and not one by one, because shifting an array moves all of it.
  if (own.length >= 2 * requestsKeptMax) own.splice(0, requestsKeptMax);
  timer ??= setTimeout(flushRequestLog, Math.max(delayMs, lastWriteAtMs + pauseMs - Date.now()));
}

/** Writes what this process still holds; returns once it can be read. A set that cannot be written is given up. */
export function flushRequestLog(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  writing = writing.then(writeWaiting);
  return writing;
}

async function writeWaiting(): Promise<void> {
  const requests = [...waiting.values()].flatMap((own) => own.slice(-requestsKeptMax));
  waiting.clear();
  if (requests.length === 0) return;
  try {
    await insertApiRequests(requests.map(redactRequest), requestsKeptMax);
  } catch (error) {
    log().warn({ lost: requests.length, error: describeError(error) }, "answered requests could not be written down");
  }
  lastWriteAtMs = Date.now();
}

function redactRequest({ url, responseBody, ...request }: LoggableRequest & { answeredRealAt: Date }) {
  return {
    ...request,
    // The token endpoint says what went wrong only in its body (RFC 6749).
    reason: oauthErrorBody.safeParse(responseBody).data?.error ?? request.reason,
    // Without the query, where a token might stand by mistake.
    path: new URL(url).pathname.split("/").map(redactText).join("/"),
    requestBody: redactBody(request.requestBody, "request"),
    responseBody: redactBody(responseBody, "response"),
  };
}
