import { newTraceId } from "../../kit/trace.ts";
import { withinAction } from "./current-action.ts";

type IncomingRequest = { method?: string | undefined; url?: string | undefined };

/** Handles a request as an action of its own, so that every call that it causes is known to belong to it. */
export function withinRequest(request: IncomingRequest, handle: () => void): void {
  const { method = "GET", url = "/" } = request;
  const [path = "/"] = url.split("?");
  withinAction({ traceId: newTraceId(), cause: `${method} ${path}` }, handle);
}
