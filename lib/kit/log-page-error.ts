import { log } from "./log.ts";
import { tracing } from "./spans.ts";

type Failed = {
  method: string;
  /** The file that failed, as in `/(partner)/routines/[id]/page`. Not the address, whose query may be personal. */
  route: string;
  kind: string;
  headers: Record<string, string | string[] | undefined>;
};

/** The header with a request's trace id, for the pages' error log. */
export const traceIdHeader = "x-gangway-trace-id";

/** Logs an error of a page, a route or an action, redacted and with the request's trace id. */
export function logPageError(error: unknown, { method, route, kind, headers }: Failed): void {
  const traceId = headers[traceIdHeader] ?? tracing()?.current()?.traceId;
  log().error({ app: headers["x-gangway-app"], method, route, kind, traceId, error }, "a page failed");
}

/** Replaces `console.error` for Next and React, which would print a failed statement's personal parameters. */
export function logConsoleError(...parts: unknown[]): void {
  const error = parts.find((part) => part instanceof Error);
  const message = parts.find((part) => typeof part === "string");
  log().error({ error, reported: message?.slice(0, 200) }, "Next reported an error");
}
