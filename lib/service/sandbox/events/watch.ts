import type { CustomerObservation, Observation, VisitObservation } from "../../providers.ts";
import { namesCredential, shownPath } from "./call-event.ts";
import { type EventDraft, logEvent } from "./event-log.ts";
import { fingerprintsOf } from "./fingerprint.ts";
import { redactBody, redactText } from "./redact-body.ts";
import { joinOfResource } from "./resources.ts";

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

function describeVisit(observation: VisitObservation, at: Date): EventDraft {
  const { clientId, traceId, step, visitId, userIntentId, userId, query, returnTo, foreign, cause } = observation;
  const fingerprint = fingerprintsOf(clientId);
  const sentTo = returnTo === undefined ? undefined : new URL(returnTo);
  // From the first request, or from the redirect back.
  const state = query?.get("state") ?? sentTo?.searchParams.get("state");
  const sessionToken = fingerprint(query?.get("session_token"));
  const code = fingerprint(sentTo?.searchParams.get("code"));
  const named = { intent: userIntentId ?? query?.get("user_intent_id"), user: userId ?? query?.get("user_id") };
  return {
    kind: "visit",
    at,
    duration_ms: null,
    trace_id: traceId,
    joins: [
      `trace:${traceId}`,
      ...joinOfResource("visit", visitId),
      ...joinOfResource("intent", named.intent),
      ...joinOfResource("user", named.user),
      ...[sessionToken, code].flatMap((token) => (token ? [`token:${token}`] : [])),
    ],
    request: query ? { query: redactBody(Object.fromEntries(query), "request") } : null,
    response: sentTo ? { location: redactText(`${sentTo.origin}${sentTo.pathname}`) } : null,
    visit_id: visitId,
    step,
    facts: {
      state: fingerprint(state),
      state_length: state?.length ?? 0,
      code_challenge: fingerprint(query?.get("code_challenge")),
      code_challenge_method: shown(query?.get("code_challenge_method")),
      session_token: sessionToken,
      redirect_uri: shown(query?.get("redirect_uri")),
      user_intent_id: joinOfResource("intent", named.intent)[0]?.slice("intent:".length) ?? null,
      user_id: joinOfResource("user", named.user)[0]?.slice("user:".length) ?? null,
      code,
      // The interface has the session token in the URL.
      has_credential_in_url: namesCredential([...(query?.keys() ?? [])].filter((name) => name !== "session_token")),
      error: shown(sentTo?.searchParams.get("error")),
      cause: cause ?? null,
      ...(foreign && { foreign }),
    },
  };
}

function shown(text: string | null | undefined): string | null {
  return text ? redactText(text) : null;
}
