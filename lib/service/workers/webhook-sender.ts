import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { memoize } from "../../kit/memoize.ts";
import { serviceConfig } from "../config.ts";
import { attemptDelivery } from "../operations/webhooks/attempt-delivery.ts";
import { arrangeDeliveries, claimDeliveries, type SendableDelivery } from "../operations/webhooks/claim-deliveries.ts";
import { deliverWebhook, type SendWebhook } from "../outbound/deliver-webhook.ts";
import { startWakeLoop, type WakeLoop } from "./wake-loop.ts";

// A slow endpoint may hold this many connections for 10 s each and no more, so it delays nobody but itself.
const perClientMax = 64;
const inFlightMax = 1024;
const graceMs = 2000;

/** Starts sending what is in the outbox. `stop` lets attempts under way finish for 2 s, then cuts them short. */
export function startWebhookSender(): WakeLoop {
  const stopping = new AbortController();
  const attempts = new Set<Promise<void>>();
  const inFlight = new Map<string, number>();

  function busyClientIds(): string[] {
    return [...inFlight].filter(([, count]) => count >= perClientMax).map(([clientId]) => clientId);
  }

  async function sendAllDue(): Promise<number | undefined> {
    while (attempts.size < inFlightMax) {
      const { deliveries, isAll } = await claimDeliveries({ perClientMax, busyClientIds: busyClientIds() });
      for (const { delivery, send } of await plan(deliveries)) begin(delivery, send);
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
        if (wasFull) loop.wake();
      });
    attempts.add(attempt);
  }

  function count(clientId: string, change: 1 | -1): void {
    const next = (inFlight.get(clientId) ?? 0) + change;
    if (next === 0) inFlight.delete(clientId);
    else inFlight.set(clientId, next);
  }

  const loop = startWakeLoop({ channel: "service_deliveries", work: sendAllDue });
  return {
    wake: loop.wake,
    stop: async () => {
      await loop.stop();
      const grace = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(attempts);
      clearTimeout(grace);
    },
  };
}

// What is to go wrong on purpose belongs to the sandbox and is not even loaded in production (Decision D16).
const loadFaults = memoize(async () =>
  serviceConfig().mode === "sandbox" ? import("../sandbox/webhook-faults.ts") : undefined,
);

async function plan(claimed: SendableDelivery[]): Promise<{ delivery: SendableDelivery; send: SendWebhook }[]> {
  const faults = await loadFaults();
  return faults ? faults.planWithFaults(claimed) : claimed.map((delivery) => ({ delivery, send: deliverWebhook }));
}
