import { limits } from "../../../contract/limits.ts";
import { type FaultStatus, faultReasons } from "../../../contract/sandbox-faults.ts";
import type {
  AnsweredRequest,
  AuthenticatedCall,
  Dropped,
  Reply,
  RequestHook,
} from "../../http/frame/answer-request.ts";
import type { Route } from "../../http/frame/define-route.ts";
import { type Refusal, refuse } from "../../http/frame/refusal.ts";
import { applyFault, type CallFault } from "../call-faults.ts";
import { type CallRecord, describeCall, describeControl } from "../events/call-event.ts";
import { logEvent } from "../events/event-log.ts";

/**
 * Applies faults to the calls of the API (Decision D16) and records calls as events (Decision D20). Reads below /sandbox
 * are not recorded, or reading the events would add events.
 */
export function hookFor(route: Route): (() => RequestHook) | undefined {
  const isSandbox = route.path.startsWith("/sandbox/");
  if (isSandbox && route.method === "GET") return undefined;
  const record = recorderOf(route, isSandbox);
  if (isSandbox) return () => ({ answered: (request) => record(request, undefined) });
  return () => {
    let fault: CallFault | undefined;
    return {
      around: async (call, next) => {
        fault = await applyFault(call);
        return fault ? outcomeUnder(fault, call, next) : next();
      },
      answered: (request) => record(request, fault),
    };
  };
}

const cause = "sandbox_fault";

async function outcomeUnder(
  { status, cut }: CallFault,
  { who }: AuthenticatedCall,
  next: () => Promise<Reply | Refusal>,
): Promise<Reply | Refusal | Dropped> {
  if (cut === "before") return { unsent: refuse("unavailable"), cause };
  if (cut === "after") return { unsent: await next(), cause };
  if (status === null) return next();
  return refuse(reasonOf(status, who), {
    detail: "This call fails because of a fault set with PUT /sandbox/faults.",
    cause,
  });
}

function reasonOf(status: FaultStatus, who: AuthenticatedCall["who"]) {
  return status === 401 && who === "user" ? "token_expired" : faultReasons[status];
}

function recorderOf(route: Route, isSandbox: boolean) {
  const kind = isSandbox ? "control" : "call";
  const toDraft = isSandbox ? describeControl : describeCall;
  const pathTemplate = route.path.replaceAll(/:(\w+)/g, "{$1}");
  return (
    { clientId, operation, reason, responseCharacters, ...answered }: AnsweredRequest,
    fault: CallFault | undefined,
  ) => {
    // An unauthenticated caller has no event log.
    if (clientId === undefined) return;
    const call: CallRecord = {
      ...answered,
      clientId,
      operation: operation ?? route.operation,
      pathTemplate,
      reason: reason ?? null,
      answeredAt: new Date(),
      isFaulted: fault !== undefined,
      cut: fault?.cut ?? undefined,
    };
    const bytes = answered.url.length + requestBytesOf(call) + responseCharacters;
    logEvent({ clientId, kind, bytes, toDraft: () => toDraft(call) });
  };
}

function requestBytesOf({ requestBody, requestHeaders }: CallRecord): number {
  if (requestBody === undefined) return 0;
  // A chunked body has no content-length.
  return Number(requestHeaders.get("content-length") ?? limits.requestBytesMax);
}
