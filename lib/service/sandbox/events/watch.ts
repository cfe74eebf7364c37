import type { Sight } from "../../providers.ts";
import { describeCustomerCall } from "./customer-event.ts";
import { logEvent } from "./event-log.ts";
import { describeVisit } from "./visit-event.ts";

/** Keeps what happened beside the calls of the API (Decision D20). Returns at once and never throws. */
export function watch(sight: Sight): void {
  const { kind, clientId } = sight;
  const at = new Date();
  const toDraft = () => (sight.kind === "visit" ? describeVisit(sight, at) : describeCustomerCall(sight, at));
  const bytes = sight.kind === "customer" ? (JSON.stringify(sight.body)?.length ?? 0) : 0;
  logEvent({ clientId, kind, bytes, toDraft });
}
