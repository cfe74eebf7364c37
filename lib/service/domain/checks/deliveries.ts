import type { DeliveryEvent } from "../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "./history.ts";

/** Whether the webhook left, and left as it was: genuine, in time, and of a type that the interface knows. */
function isGenuine({ facts: { fault } }: DeliveryEvent): boolean {
  return fault === null || fault === "duplicate";
}

/** Those that arrive although the receiver had taken the very webhook before. */
function copiesAmong(deliveries: readonly DeliveryEvent[]): Set<DeliveryEvent> {
  const attempts = groupByText(deliveries, ({ webhook_id }) => webhook_id);
  return new Set(
    deliveries.filter(
      (delivery) =>
        delivery.facts.fault === "duplicate" ||
        attempts
          .get(delivery.webhook_id)
          ?.some((other) => isTaken(other) && other !== delivery && endOf(other) <= startOf(delivery)),
    ),
  );
}

function isTaken({ status, facts }: DeliveryEvent): boolean {
  return isSuccess(status) && facts.fault === null;
}

/** The attempts at webhooks that arrive for the first time, signed with the current secret. */
export function firstCopiesOf({ deliveries }: History): DeliveryEvent[] {
  const copies = copiesAmong(deliveries);
  return deliveries.filter(
    (delivery) => delivery.facts.fault === null && delivery.facts.signed_with === "current" && !copies.has(delivery),
  );
}

/** The attempts at webhooks that the receiver has taken already. */
export function copiesOf({ deliveries }: History): DeliveryEvent[] {
  const copies = copiesAmong(deliveries);
  return deliveries.filter((delivery) => isGenuine(delivery) && copies.has(delivery));
}

/** All genuine attempts, copies among them. */
export function genuineOf({ deliveries }: History): DeliveryEvent[] {
  return deliveries.filter(isGenuine);
}

/** Whether a later attempt at the same webhook was taken. */
export function isTakenLater(delivery: DeliveryEvent, { deliveries }: History): boolean {
  return deliveries.some(
    (other) => other.webhook_id === delivery.webhook_id && isTaken(other) && startOf(other) >= startOf(delivery),
  );
}
