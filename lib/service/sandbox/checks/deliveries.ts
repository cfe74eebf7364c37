import type { DeliveryEvent } from "../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "./history.ts";

/** Whether the content is unaltered, even if sent twice or reformatted. */
function isGenuine({ facts: { fault } }: DeliveryEvent): boolean {
  return fault === null || fault === "duplicate" || fault === "reformatted";
}

// Cached, because four rules need it.
const known = new WeakMap<History, ReadonlySet<DeliveryEvent>>();

/** Deliveries of webhooks the receiver had already accepted. */
function copiesIn(history: History): ReadonlySet<DeliveryEvent> {
  const copies = known.get(history) ?? copiesAmong(history.deliveries);
  known.set(history, copies);
  return copies;
}

function copiesAmong(deliveries: readonly DeliveryEvent[]): Set<DeliveryEvent> {
  const accepted = groupByText(deliveries.filter(isAccepted), ({ webhook_id }) => webhook_id);
  // Two suffice: at least one differs from any given attempt.
  const firstAccepted = new Map([...accepted].map(([id, attempts]) => [id, firstTwoOf(attempts)]));
  const isAcceptedBefore = (delivery: DeliveryEvent) =>
    firstAccepted.get(delivery.webhook_id)?.some((other) => other !== delivery && endOf(other) <= startOf(delivery));
  return new Set(deliveries.filter((delivery) => delivery.facts.fault === "duplicate" || isAcceptedBefore(delivery)));
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

function isAccepted({ status, facts }: DeliveryEvent): boolean {
  return isSuccess(status) && (facts.fault === null || facts.fault === "reformatted");
}

/** Attempts at webhooks not accepted before, signed with a secret that the client knows. */
export function firstCopiesOf(history: History): DeliveryEvent[] {
  const copies = copiesIn(history);
  return history.deliveries.filter(
    (delivery) => delivery.facts.fault === null && delivery.facts.signed_with !== "none" && !copies.has(delivery),
  );
}

/** Whether the receiver found no valid signature. */
export function isSignatureRefused({ status }: DeliveryEvent): boolean {
  return status === 400 || status === 401 || status === 403;
}

/** Genuine attempts at webhooks already accepted. */
export function copiesOf(history: History): DeliveryEvent[] {
  const copies = copiesIn(history);
  return history.deliveries.filter((delivery) => isGenuine(delivery) && copies.has(delivery));
}

/** All genuine attempts, duplicates included. */
export function genuineOf({ deliveries }: History): DeliveryEvent[] {
  return deliveries.filter(isGenuine);
}

/** The start of the last accepted attempt, by webhook id. */
export function lastAcceptedMsOf({ deliveries }: History): Map<string, number> {
  return new Map(deliveries.filter(isAccepted).map((delivery) => [delivery.webhook_id, startOf(delivery)]));
}
