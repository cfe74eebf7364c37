import type { CustomerEvent } from "../../../contract/sandbox-events.ts";
import { type History, isSuccess } from "./history.ts";

/** The calls of the customer endpoint that a client caused itself: about a person of its own, with its secret. */
export function questionsOf({ customers }: History): CustomerEvent[] {
  return customers.filter(({ facts }) => facts.probe === null);
}

/** Those of them that were answered with success. */
export function recordsOf(history: History): CustomerEvent[] {
  return questionsOf(history).filter(({ status }) => isSuccess(status));
}

/** Whether something is wrong with the record beside how its time is written. */
export function isIncomplete({ facts }: CustomerEvent): boolean {
  const isTimeWrong = facts.has_milliseconds === false || facts.is_utc === false;
  return facts.problems.some((problem) => !(isTimeWrong && problem.includes("lastAuthenticationTime")));
}
