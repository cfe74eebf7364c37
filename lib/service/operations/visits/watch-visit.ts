import { tracing } from "../../../kit/spans.ts";
import { providers, type VisitObservation } from "../../providers.ts";

type WatchedVisit = { id: string } & Pick<VisitObservation, "clientId" | "traceId" | "userIntentId" | "userId">;

/** Records a step of a visit. Call after the commit. */
export function watchVisit(
  { id: visitId, clientId, traceId, userIntentId, userId }: WatchedVisit,
  step: Pick<VisitObservation, "step" | "returnTo" | "foreign" | "cause">,
): void {
  watchStep({ clientId, traceId, visitId, userIntentId, userId, ...step });
}

/**
 * Records a person's step (Decision D20), and makes it a span in the partner's trace, linked to the request for the
 * page.
 */
export function watchStep(observation: Omit<VisitObservation, "kind">): void {
  const { clientId, traceId, visitId, step } = observation;
  const facts = { "gangway.client_id": clientId, "gangway.visit_id": visitId ?? undefined, "gangway.step": step };
  tracing()?.begin({ name: "visit step", traceId, facts }).end();
  providers().watch?.({ kind: "visit", ...observation });
}
