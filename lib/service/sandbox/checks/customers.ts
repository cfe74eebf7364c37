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

const fields = ["customer_id", "first_name", "last_name", "phone"];
const unreadable = ["not_json", "answer_too_large", "customer_id_differs"];

/** Whether something is wrong with the record beside how its time is written. */
export function isIncomplete({ facts: { problems, has_milliseconds } }: CustomerEvent): boolean {
  if ([...fields, ...unreadable].some((name) => problems.includes(name))) return true;
  // A record without a readable time has none, and one without any named field is no object.
  return problems.includes("not_a_customer_record") && has_milliseconds === null;
}
