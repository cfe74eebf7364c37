import { decisionOf, type ObservedCall } from "#client";
import { currentAction } from "../requests/current-action.ts";
import type { EntryDetails, EntryOutcome } from "./entry.ts";
import { keepEntry } from "./keep-entry.ts";
import { redactMessage } from "./redact.ts";

/** Records a call to the service for whoever caused it. Returns at once. */
export function recordCall(call: ObservedCall): void {
  const { traceId, method, answer, response, problems, startedAt, durationMs } = call;
  const action = currentAction();
  const [path = "", query] = call.path.split("?");
  const sent = call.body === undefined ? undefined : JSON.stringify(call.body);
  const details: EntryDetails = {
    kind: "call",
    cause: action?.cause,
    method,
    path,
    query,
    outcome: outcomeOf(call),
    status: answer.kind === "unreachable" ? undefined : answer.status,
    durationMs,
    why: whyOf(call),
    problems: answer.kind === "refused" ? answer.errors : problems,
    requestId: response?.requestId,
    request: redactMessage(call.headers, sent),
    response: response && redactMessage(response.headers, response.text),
  };
  const { personId, about = [] } = action ?? {};
  keepEntry({ traceId, at: startedAt, details, reader: personId ? { personId } : { ids: about } });
}

function outcomeOf({ method, answer }: ObservedCall): EntryOutcome {
  switch (answer.kind) {
    case "ok":
      return "ok";
    case "unreadable":
      return "not_understood";
    case "unreachable":
      return answer.cause === "no_connection" ? "not_sent" : "unknown";
    case "refused":
      return method !== "GET" && decisionOf(answer) === "unknown" ? "undecided" : "refused";
  }
}

function whyOf({ answer }: ObservedCall): string | undefined {
  if (answer.kind === "unreachable") return answer.cause === "timeout" ? "It took too long." : answer.description;
  return answer.kind === "refused" ? [answer.reason, answer.description].filter(Boolean).join(": ") : undefined;
}
