import { AsyncLocalStorage } from "node:async_hooks";
import { traceIdHeader } from "../../kit/log-page-error.ts";
import { processWide } from "../../kit/memoize.ts";
import { tracing } from "../../kit/spans.ts";
import { newTraceId, type TraceId } from "../../kit/trace.ts";

/** What causes the calls that are made meanwhile: a request of somebody's browser, or a webhook that is being applied. */
export type Action = {
  traceId: TraceId;
  /** As "POST /onboarding" or "webhook user_updated"; never with a query, which may hold a code. */
  cause: string;
  /** Whose browser it is; undefined until that is known. */
  personId?: string | undefined;
  /** The ids that the webhook names. */
  about?: string[];
};

const actions = processWide("partner.actions", () => new AsyncLocalStorage<Action>());

/** Does some work as this action: calls to the service that it causes share the trace, unless they have one of their own. */
export function withinAction<T>(action: Action, work: () => T): T {
  return actions().run(action, work);
}

/** The action that is under way here, if any. */
export function currentAction(): Action | undefined {
  return actions().getStore();
}

/** Notes who it is that acts, once it is known. */
export function setActor(personId: string): void {
  const action = currentAction();
  if (action) action.personId = personId;
}

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
