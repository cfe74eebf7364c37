import { tracing } from "../../../kit/spans.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { providers, type VisitSight } from "../../providers.ts";

/** Whose step it was. */
type WatchedVisit = {
  id: string;
  clientId: string;
  traceId: TraceId;
  userIntentId: string | null;
  userId: string | null;
};

/** Tells whoever watches what a person did in a visit. Called once it is committed. */
export function watchVisit(
  { id: visitId, clientId, traceId, userIntentId, userId }: WatchedVisit,
  step: Pick<VisitSight, "step" | "returnTo" | "cause">,
): void {
  watchStep({ clientId, traceId, visitId, userIntentId, userId, ...step });
}

/**
 * Tells whoever watches (Decision D20) what a person did on the authorization pages, and makes a span of it in the trace in
 * which the partner sent them, linked with the request for the page.
 */
export function watchStep(sight: Omit<VisitSight, "kind">): void {
  const { clientId, traceId, visitId, step } = sight;
  const facts = { "gangway.client_id": clientId, "gangway.visit_id": visitId ?? undefined, "gangway.step": step };
  tracing()?.begin({ name: "visit step", traceId, facts }).end();
  providers().watch?.({ kind: "visit", ...sight });
}
