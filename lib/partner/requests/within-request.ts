import { traceIdHeader } from "../../kit/log-page-error.ts";
import { tracing } from "../../kit/spans.ts";
import { newTraceId } from "../../kit/trace.ts";
import { withinAction } from "./current-action.ts";

type IncomingRequest = {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
};

/** Handles a request as an action of its own, so that every call that it causes is known to belong to it, and to its span. */
export function withinRequest(request: IncomingRequest, handle: () => void): void {
  const { method = "GET", url = "/" } = request;
  const [path = "/"] = url.split("?");
  const traceId = tracing()?.current()?.traceId ?? newTraceId();
  request.headers[traceIdHeader] = traceId;
  withinAction({ traceId, cause: `${method} ${path}` }, handle);
}
