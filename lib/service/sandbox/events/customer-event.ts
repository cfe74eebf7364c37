import type { CustomerObservation } from "../../providers.ts";
import { shownPath } from "./call-event.ts";
import type { EventDraft } from "./event-log.ts";
import { fingerprintsOf } from "./fingerprint.ts";
import { redactBody } from "./redact-body.ts";
import { joinOfResource } from "./resources.ts";

export function describeCustomerCall(observation: CustomerObservation, at: Date): EventDraft {
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
    },
  };
}
