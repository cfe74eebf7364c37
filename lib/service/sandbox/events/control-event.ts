import { type CallRecord, shownPath } from "./call-event.ts";
import type { EventDraft } from "./event-log.ts";
import { redactBody } from "./redact-body.ts";
import { joinOfResource, type ResourceKind, resourceIdOf } from "./resources.ts";

export function describeControl(call: CallRecord): EventDraft {
  return {
    kind: "control",
    at: call.answeredAt,
    duration_ms: call.durationMs,
    trace_id: call.traceId,
    joins: [`trace:${call.traceId}`, ...joinOfResource(kindOf(call.pathTemplate), resourceIdOf(call.url, {}))],
    operation: call.operation,
    method: call.method,
    path: shownPath(call.url),
    status: call.status,
    request: { body: redactBody(call.requestBody, "request") },
    response: { body: redactBody(call.responseBody, "response") },
  };
}

function kindOf(pathTemplate: string): ResourceKind | undefined {
  const [, , noun] = pathTemplate.split("/");
  const kinds: Record<string, ResourceKind> = {
    user_intents: "intent",
    users: "user",
    transfers: "transfer",
    webhooks: "webhook",
  };
  return kinds[noun ?? ""];
}
