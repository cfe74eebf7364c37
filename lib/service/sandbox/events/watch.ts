import type { Observation } from "../../providers.ts";
import { describeCustomerCall } from "./customer-event.ts";
import { logEvent } from "./event-log.ts";
import { describeVisit } from "./visit-event.ts";

/** Records everything but API calls (Decision D20). Returns immediately and never throws. */
export function watch(observation: Observation): void {
  const { kind, clientId } = observation;
  const at = new Date();
  const toDraft = () =>
    observation.kind === "visit" ? describeVisit(observation, at) : describeCustomerCall(observation, at);
  const bytes = observation.kind === "customer" ? (JSON.stringify(observation.body)?.length ?? 0) : 0;
  logEvent({ clientId, kind, bytes, toDraft });
}
