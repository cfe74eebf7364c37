import { describeError } from "../../../kit/describe-error.ts";
import { log } from "../../../kit/log.ts";
import { deliverWebhook, type SendWebhook } from "../../outbound/deliver-webhook.ts";
import { providers } from "../../providers.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { arrangeDeliveries, claimDeliveries, type SendableDelivery } from "./claim-deliveries.ts";

/** Attempts under way in this process, each beside the others. */
export type DeliverySending = {
  /** Begins an attempt of all that is due, as far as there is room, and returns the milliseconds until more will be. */
  sendAllDue: () => Promise<number | undefined>;
  /** Lets attempts under way finish for `graceMs`, then cuts them short. */
  finish: (how: { graceMs: number }) => Promise<void>;
};

// A slow endpoint may hold this many connections for 10 s each and no more, so it delays nobody but itself.
const perClientMax = 64;
const inFlightMax = 1024;

/** Makes the sending of one process; `onRoom` is told when there was none and now is. */
export function createDeliverySending({ onRoom }: { onRoom: () => void }): DeliverySending {
  const stopping = new AbortController();
  const attempts = new Set<Promise<void>>();
  const inFlight = new Map<string, number>();

  function busyClientIds(): string[] {
    return [...inFlight].filter(([, count]) => count >= perClientMax).map(([clientId]) => clientId);
  }

  async function sendAllDue(): Promise<number | undefined> {
    while (attempts.size < inFlightMax) {
      const { deliveries, isAll } = await claimDeliveries({ perClientMax, busyClientIds: busyClientIds() });
      const planned = await providers().planDeliveries(deliveries, deliverWebhook);
      for (const { delivery, send } of planned) begin(delivery, send);
      if (isAll) return arrangeDeliveries({ busyClientIds: busyClientIds() });
    }
    return undefined;
  }

  function begin(delivery: SendableDelivery, send: SendWebhook): void {
    const { clientId, id: webhookId, traceId } = delivery;
    count(clientId, 1);
    const attempt = attemptDelivery(delivery, send, stopping.signal)
      .catch((error: unknown) => {
        log().error({ webhookId, traceId, error: describeError(error) }, "an attempt could not be written down");
      })
      .finally(() => {
        const wasFull = attempts.size >= inFlightMax || (inFlight.get(clientId) ?? 0) >= perClientMax;
        attempts.delete(attempt);
        count(clientId, -1);
        if (wasFull) onRoom();
      });
    attempts.add(attempt);
  }

  function count(clientId: string, change: 1 | -1): void {
    const next = (inFlight.get(clientId) ?? 0) + change;
    if (next === 0) inFlight.delete(clientId);
    else inFlight.set(clientId, next);
  }

  async function finish({ graceMs }: { graceMs: number }): Promise<void> {
    const grace = setTimeout(() => stopping.abort(), graceMs);
    await Promise.all(attempts);
    clearTimeout(grace);
  }

  return { sendAllDue, finish };
}
