import { limits } from "../../../contract/limits.ts";
import type { DeliveryEvent } from "../../../contract/sandbox-events.ts";
import type { WebhookFaultKind } from "../../../contract/webhooks.ts";
import type { OutgoingWebhook, SendWebhook } from "../../outbound/deliver-webhook.ts";
import type { ClaimedWebhook } from "../../providers.ts";
import { describeDelivery, type SeenDelivery } from "./delivery-event.ts";
import { logEvent } from "./event-log.ts";

/** Send functions that record the attempt with the fault's name. */
export function watchedSend(
  delivery: ClaimedWebhook,
  send: SendWebhook,
): (fault: WebhookFaultKind | null) => SendWebhook {
  return (fault) => async (webhook, stopping) => {
    const beganAtMs = performance.now();
    const reply =
      fault === "drop"
        ? ({ kind: "unanswered", error: "dropped_on_purpose" } as const)
        : await send({ ...webhook, answerBytesMax: limits.eventAnswerBytesMax }, stopping);
    // Interrupted by a shutdown or never sent: another process retries it.
    if (reply.kind === "not_sent" || (stopping.aborted && reply.kind === "unanswered")) return reply;
    logDelivery(delivery, {
      webhook,
      fault,
      signedWith: signedWithOf(fault === "old_secret" ? delivery : webhook, fault),
      reply,
      durationMs: fault === "drop" ? null : Math.round(performance.now() - beganAtMs),
    });
    return reply;
  };
}

export function logHeldBack(delivery: ClaimedWebhook, fault: "delay" | "reorder" | "withhold"): void {
  const signedWith = signedWithOf(delivery, null);
  logDelivery(delivery, { webhook: delivery, fault, signedWith, reply: undefined, durationMs: null });
}

function logDelivery(delivery: ClaimedWebhook, seen: Omit<SeenDelivery, "announced" | "attempt" | "at">): void {
  const at = new Date();
  const { clientId, attempts, body: announced } = delivery;
  const toDraft = () => describeDelivery({ ...seen, announced, attempt: attempts + 1, at });
  const bytes = announced.length + limits.eventAnswerBytesMax;
  logEvent({ clientId, kind: "delivery", bytes, toDraft });
}

function signedWithOf(
  { secrets }: Pick<OutgoingWebhook, "secrets">,
  fault: WebhookFaultKind | null,
): DeliveryEvent["facts"]["signed_with"] {
  if (fault === "tamper") return "none";
  if (secrets.length < 2) return "current";
  return fault === "old_secret" ? "old_only" : "both";
}
