import { limits } from "../../../contract/limits.ts";
import type { DeliveryEvent } from "../../../contract/sandbox-events.ts";
import type { WebhookEvent, WebhookFaultKind } from "../../../contract/webhooks.ts";
import { timed } from "../../../kit/timed.ts";
import type { OutgoingWebhook, SendWebhook, WebhookReply } from "../../outbound/deliver-webhook.ts";
import type { ClaimedWebhook } from "../../providers.ts";
import { type EventDraft, logEvent } from "./event-log.ts";
import { redactAnswer, redactBody } from "./redact-body.ts";
import { joinOfResource, type ResourceKind } from "./resources.ts";

/** Send functions that record the attempt with the fault's name. */
export function watchedSend(
  delivery: ClaimedWebhook,
  send: SendWebhook,
): (fault: WebhookFaultKind | null) => SendWebhook {
  return (fault) => async (webhook, stopping) => {
    const { result: reply, durationMs } =
      fault === "drop"
        ? { result: dropped, durationMs: null }
        : await timed(() => send({ ...webhook, answerBytesMax: limits.eventAnswerBytesMax }, stopping));
    // Interrupted by a shutdown or never sent: another process retries it.
    if (reply.kind === "not_sent" || (stopping.aborted && reply.kind === "unanswered")) return reply;
    const signedWith = signedWithOf(fault === "old_secret" ? delivery : webhook, fault);
    logDelivery(delivery, { webhook, fault, signedWith, reply, durationMs });
    return reply;
  };
}

const dropped = { kind: "unanswered", error: "dropped_on_purpose" } as const;

export function logHeldBack(delivery: ClaimedWebhook, fault: "delay" | "reorder" | "withhold"): void {
  const signedWith = signedWithOf(delivery, null);
  logDelivery(delivery, { webhook: delivery, fault, signedWith, reply: undefined, durationMs: null });
}

function logDelivery(delivery: ClaimedWebhook, seen: Omit<ObservedDelivery, "announced" | "attempt" | "at">): void {
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

/** One webhook attempt; `reply` is undefined if it was held back. */
type ObservedDelivery = {
  webhook: Omit<OutgoingWebhook, "sentAt">;
  /** The original body, before any fault. */
  announced: string;
  attempt: number;
  fault: WebhookFaultKind | null;
  signedWith: DeliveryEvent["facts"]["signed_with"];
  reply: WebhookReply | undefined;
  durationMs: number | null;
  at: Date;
};

const kinds: Record<string, ResourceKind> = {
  user_intent: "intent",
  user: "user",
  routine: "routine",
  transfer: "transfer",
};

function describeDelivery(seen: ObservedDelivery): EventDraft {
  const { webhook, attempt, fault, signedWith, reply, durationMs, at } = seen;
  const event = JSON.parse(webhook.body) as WebhookEvent;
  const announced = JSON.parse(seen.announced) as WebhookEvent;
  const status = reply?.kind === "answered" ? reply.status : null;
  const answer = reply?.kind === "answered" && reply.answer !== undefined ? redactAnswer(reply.answer) : null;
  return {
    kind: "delivery",
    at,
    duration_ms: durationMs,
    trace_id: webhook.traceId,
    joins: [
      `trace:${webhook.traceId}`,
      ...joinOfResource("webhook", webhook.id),
      ...joinOfResource("webhook", announced.webhook_id),
      ...joinOfResource(kinds[announced.webhook_type.replace(/_updated$/, "")], announced.resource_id),
      // For an intent without a user, the field holds the intent's own id.
      ...(announced.user_id === announced.resource_id ? [] : joinOfResource("user", announced.user_id)),
    ],
    request: { method: "POST", url: addressOf(webhook.url), body: redactBody(event, "request") },
    response: status === null ? null : { status, body: answer },
    webhook_id: webhook.id,
    webhook_type: event.webhook_type,
    resource_id: event.resource_id,
    user_id: event.user_id,
    status,
    facts: {
      attempt,
      // The old secret's signature is genuine; `signed_with` shows the difference.
      fault: fault === "old_secret" ? null : fault,
      signatures: webhook.secrets.length,
      signed_with: signedWith,
      error: reply?.kind === "unanswered" ? reply.error : reply ? null : "held_back",
      answer,
    },
  };
}

function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
