import type { CallEvent, VisitEvent } from "../../../contract/sandbox-events.ts";
import type { History } from "./history.ts";

/** The step of a visit by which a code was given. */
export function findAuthorized(code: string | null, { authorized }: History): VisitEvent | undefined {
  return authorized.get(code ?? "");
}

/** How the visit was opened from which a code came. */
export function findOpening(code: string | null, history: History): VisitEvent | undefined {
  return history.openings.get(findAuthorized(code, history)?.visit_id ?? "");
}

/** Every arrival at the authorization pages, whatever became of it. */
export function arrivalsOf({ visits }: History): VisitEvent[] {
  // Somebody who is sent back at once never had a visit; whoever is sent back later has one, which was counted when it opened.
  return visits.filter(
    ({ step, visit_id }) => step === "opened" || step === "refused" || (step === "sent_back" && visit_id === null),
  );
}

/** The call that minted a session token. */
export function findMint(sessionToken: string | null, { mints }: History): CallEvent | undefined {
  return mints.get(sessionToken ?? "");
}
