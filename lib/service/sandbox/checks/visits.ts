import type { CallEvent, VisitEvent } from "../../../contract/sandbox-events.ts";
import type { History } from "./history.ts";

export function findAuthorized(code: string | null, { authorized }: History): VisitEvent | undefined {
  return authorized.get(code ?? "");
}

export function findOpening(code: string | null, history: History): VisitEvent | undefined {
  return history.openings.get(findAuthorized(code, history)?.visit_id ?? "");
}

/** Every arrival at the authorization pages, regardless of the outcome. */
export function arrivalsOf({ visits }: History): VisitEvent[] {
  // A step sent back later belongs to a visit that was counted when it opened.
  return visits.filter(
    ({ step, visit_id }) => step === "opened" || step === "refused" || (step === "sent_back" && visit_id === null),
  );
}

export function findMint(sessionToken: string | null, { mints }: History): CallEvent | undefined {
  return mints.get(sessionToken ?? "");
}
