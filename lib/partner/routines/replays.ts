import type { Partner } from "../partner.ts";
import { hasSecondRecord } from "../storage/routine-looks.ts";
import type { RoutineRow } from "../storage/routines.ts";

/** How long after the last request a person may first be asked what became of it; it proves nothing. */
export const quietSeconds = 300;

/** Whether a request may be sent again by itself: it is said to be safe, and was not seen to pay twice. */
export async function isReplayTrusted(partner: Partner): Promise<boolean> {
  return partner.config.isReplayKnown && !(await hasSecondRecord(partner.db));
}

/** Whether only news of the service, or a person, can tell what became of a routine: it is not known, and not sent again. */
export async function isHeld(
  partner: Partner,
  { state, failureReason }: Pick<RoutineRow, "state" | "failureReason">,
): Promise<boolean> {
  return state === "unanswered" && (failureReason !== null || !(await isReplayTrusted(partner)));
}
