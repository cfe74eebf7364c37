import type { DeliveryEvent } from "../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "./history.ts";

/** Whether the webhook left, and left as it was: genuine, in time, and of a type that the interface knows. */
function isGenuine({ facts: { fault } }: DeliveryEvent): boolean {
  return fault === null || fault === "duplicate";
}

// Four rules ask for the copies of one history.
const known = new WeakMap<History, ReadonlySet<DeliveryEvent>>();

/** Those that arrive although the receiver had taken the very webhook before. */
function copiesIn(history: History): ReadonlySet<DeliveryEvent> {
  const copies = known.get(history) ?? copiesAmong(history.deliveries);
  known.set(history, copies);
  return copies;
}

function copiesAmong(deliveries: readonly DeliveryEvent[]): Set<DeliveryEvent> {
  const taken = groupByText(deliveries.filter(isTaken), ({ webhook_id }) => webhook_id);
  // The two that ended first: whichever attempt is asked about, one of them is another.
  const firstTaken = new Map([...taken].map(([id, attempts]) => [id, firstTwoOf(attempts)]));
  const isTakenBefore = (delivery: DeliveryEvent) =>
    firstTaken.get(delivery.webhook_id)?.some((other) => other !== delivery && endOf(other) <= startOf(delivery));
  return new Set(deliveries.filter((delivery) => delivery.facts.fault === "duplicate" || isTakenBefore(delivery)));
}

function firstTwoOf(attempts: readonly DeliveryEvent[]): DeliveryEvent[] {
  let first: DeliveryEvent | undefined;
  let second: DeliveryEvent | undefined;
  for (const attempt of attempts) {
    if (!first || endOf(attempt) < endOf(first)) [first, second] = [attempt, first];
    else if (!second || endOf(attempt) < endOf(second)) second = attempt;
  }
  return [first, second].flatMap((attempt) => attempt ?? []);
}

function isTaken({ status, facts }: DeliveryEvent): boolean {
  return isSuccess(status) && facts.fault === null;
}

/** The attempts at webhooks that arrive for the first time, signed with the current secret. */
export function firstCopiesOf(history: History): DeliveryEvent[] {
  const copies = copiesIn(history);
  return history.deliveries.filter(
    (delivery) => delivery.facts.fault === null && delivery.facts.signed_with === "current" && !copies.has(delivery),
  );
}

/** The attempts at webhooks that the receiver has taken already. */
export function copiesOf(history: History): DeliveryEvent[] {
  const copies = copiesIn(history);
  return history.deliveries.filter((delivery) => isGenuine(delivery) && copies.has(delivery));
}

/** All genuine attempts, copies among them. */
export function genuineOf({ deliveries }: History): DeliveryEvent[] {
  return deliveries.filter(isGenuine);
}

/** By the id of each webhook that was taken, when the last attempt began that was. */
export function lastTakenMsOf({ deliveries }: History): Map<string, number> {
  return new Map(deliveries.filter(isTaken).map((delivery) => [delivery.webhook_id, startOf(delivery)]));
}
