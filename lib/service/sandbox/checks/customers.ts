import type { CustomerEvent } from "../../../contract/sandbox-events.ts";
import { type History, isSuccess } from "./history.ts";

/** Requests for the client's own customers with the right secret, without probes. */
export function requestsOf({ customers }: History): CustomerEvent[] {
  return customers.filter(({ facts }) => facts.probe === null);
}

export function recordsOf(history: History): CustomerEvent[] {
  return requestsOf(history).filter(({ status }) => isSuccess(status));
}

const fields = ["customer_id", "first_name", "last_name", "phone"];
const unreadable = ["not_json", "answer_too_large", "customer_id_differs"];

/** Whether the record has a problem other than its time format. */
export function isIncomplete({ facts: { problems, has_milliseconds } }: CustomerEvent): boolean {
  if ([...fields, ...unreadable].some((name) => problems.includes(name))) return true;
  // Without field names or a readable time, the answer isn't a record at all.
  return problems.includes("not_a_customer_record") && has_milliseconds === null;
}
