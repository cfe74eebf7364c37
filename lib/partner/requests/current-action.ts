import { AsyncLocalStorage } from "node:async_hooks";
import { traceIdHeader } from "../../kit/log-page-error.ts";
import { processWide } from "../../kit/memoize.ts";
import { tracing } from "../../kit/spans.ts";
import { newTraceId, type TraceId } from "../../kit/trace.ts";
import { chooseLocale, type Locale } from "../words/locales.ts";

/** The browser request or webhook behind the current calls. */
export type Action = {
  traceId: TraceId;
  /** Like "POST /onboarding" or "webhook user_updated"; without the query, which can hold a code. */
  cause: string;
  /** The signed-in person, once known. */
  personId?: string | undefined;
  about?: string[];
  /** The reader's language. */
  locale?: Locale;
};

const actions = processWide("partner.actions", () => new AsyncLocalStorage<Action>());

/** Runs work as part of an action: its calls to the service share the action's trace by default. */
export function withinAction<T>(action: Action, work: () => T): T {
  return actions().run(action, work);
}

export function currentAction(): Action | undefined {
  return actions().getStore();
}

export function setActor(personId: string): void {
  const action = currentAction();
  if (action) action.personId = personId;
}

/** Sets the language for the rest of the request. */
export function setLanguage(locale: Locale): void {
  const action = currentAction();
  if (action) action.locale = locale;
}

type IncomingRequest = {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
};

/** Handles a browser request as its own action. */
export function withinRequest(request: IncomingRequest, handle: () => void): void {
  const { method = "GET", url = "/" } = request;
  const [path = "/"] = url.split("?");
  const traceId = tracing()?.current()?.traceId ?? newTraceId();
  request.headers[traceIdHeader] = traceId;
  const { cookie, "accept-language": accepted } = request.headers;
  const locale = chooseLocale({ cookie: String(cookie ?? ""), accepted: String(accepted ?? "") });
  withinAction({ traceId, cause: `${method} ${path}`, locale }, handle);
}
