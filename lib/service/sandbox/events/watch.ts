import type { CustomerObservation, Observation } from "../../providers.ts";
import { shownPath } from "./call-event.ts";
import { type EventDraft, logEvent } from "./event-log.ts";
import { fingerprintsOf } from "./fingerprint.ts";
import { redactBody } from "./redact-body.ts";
import { joinOfResource } from "./resources.ts";
import { describeVisit } from "./visit-event.ts";

/** Records everything but API calls (Decision D20). Returns immediately and never throws. */
export function watch(observation: Observation): void {
  const { kind, clientId } = observation;
  const at = new Date();
  const toDraft = () =>
    observation.kind === "visit" ? describeVisit(observation, at) : describeCustomerCall(observation, at);
  const bytes = observation.kind === "customer" ? (JSON.stringify(observation.body)?.length ?? 0) : 0;
  logEvent({ clientId, kind, bytes, toDraft });
}

function describeCustomerCall(observation: CustomerObservation, at: Date): EventDraft {
  const { clientId, traceId, url, status, body, problems, durationMs } = observation;
  const lastLogin = typeof body === "object" && body !== null && "lastAuthenticationTime" in body;
  const written = lastLogin ? body.lastAuthenticationTime : undefined;
  const isTime = typeof written === "string";
  return {
    kind: "customer",
    at,
    duration_ms: durationMs,
    trace_id: traceId,
    joins: [
      `trace:${traceId}`,
      ...joinOfResource("intent", observation.userIntentId),
      ...joinOfResource("user", observation.userId),
    ],
    request: url === null ? null : { method: "GET", url: new URL(url).origin + shownPath(url) },
    response: status === null ? null : { body: redactBody(body, "response") },
    status,
    facts: {
      customer_id: fingerprintsOf(clientId)(observation.customerId),
      probe: observation.probe,
      problems,
      has_milliseconds: isTime ? /:\d\d\.\d{3}(?!\d)/.test(written) : null,
      is_utc: isTime ? /(Z|[+-]00:?00)$/i.test(written) : null,
      seconds_ahead: isTime ? secondsAhead(written, at) : null,
    },
  };
}

function secondsAhead(written: string, at: Date): number | null {
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? null : Math.round((ms - at.getTime()) / 1000);
}
