import type { AnsweredRequest } from "../../http/frame/answer-request.ts";
import type { Route } from "../../http/frame/define-route.ts";
import { describeCall, type SeenCall } from "../events/call-event.ts";
import { describeControl } from "../events/control-event.ts";
import { logEvent } from "../events/event-log.ts";

/** Who watches a route for a sandbox's events: nobody where it only reads below /sandbox, since looking would fill them. */
export function observerOf(route: Route): ((answered: AnsweredRequest) => void) | undefined {
  const isSandbox = route.path.startsWith("/sandbox/");
  if (isSandbox && route.method === "GET") return undefined;
  const kind = isSandbox ? "control" : "call";
  const toDraft = isSandbox ? describeControl : describeCall;
  const pathTemplate = route.path.replaceAll(/:(\w+)/g, "{$1}");
  return ({ clientId, operation, reason, ...answered }) => {
    // Whoever could not say who it is has nothing to look at.
    if (clientId === undefined) return;
    const call: SeenCall = {
      ...answered,
      clientId,
      operation: operation ?? route.operation,
      pathTemplate,
      reason: reason ?? null,
      answeredAt: new Date(),
    };
    logEvent({ clientId, kind, toDraft: () => toDraft(call) });
  };
}
