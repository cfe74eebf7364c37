import { newId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import { traceIdOf } from "../../kit/trace.ts";
import { recordWebhook } from "../inspector/record-webhook.ts";
import { readWebhookEvent } from "../service-client/webhook-event.ts";
import { database } from "../storage/database.ts";
import { insertWebhookReceipt, noteDuplicate } from "../storage/webhook-receipts.ts";
import { checkSignature } from "./check-signature.ts";

/** What became of a delivery; only the first two are answered with success. */
export type WebhookVerdict = "accepted" | "duplicate" | "too_large" | "not_genuine" | "not_understood";

/** The status that each verdict is answered with. */
export const statusOfVerdict: Record<WebhookVerdict, number> = {
  accepted: 202,
  duplicate: 200,
  not_understood: 400,
  not_genuine: 401,
  too_large: 413,
};

/** `why`: why it was turned away, for a developer. `webhookId`: which delivery it is, once that is known to be so. */
type Judged = { verdict: WebhookVerdict; why?: string; webhookId?: string };

/**
 * Four checks, in this order: genuine, fresh, JSON, new. What a service announces beyond the published events is kept too.
 * Only then is the delivery kept, by one statement; what it
 * means is worked out afterwards by the worker, so that the service has its answer at once.
 * @param body exactly as it arrived, because the signature is over its bytes
 */
export async function receiveWebhook(body: string, headers: Headers): Promise<WebhookVerdict> {
  const startedAt = new Date();
  const { verdict, why, webhookId } = await judge(body, headers);
  const entry = { webhookId, verdict, why };
  const isReceived = verdict === "accepted" || verdict === "duplicate";
  if (isReceived) log().info(entry, "webhook received");
  else log().warn(entry, "webhook turned away");
  const outcome = isReceived ? verdict : "turned_away";
  recordWebhook({ body, headers, outcome, status: statusOfVerdict[verdict], why, startedAt });
  return verdict;
}

async function judge(body: string, headers: Headers): Promise<Judged> {
  const signature = checkSignature(body, headers);
  if (signature.kind === "not_genuine") return { verdict: "not_genuine", why: signature.why };
  const event = readWebhookEvent(body);
  if (!event) return { verdict: "not_understood", why: "its body is no JSON" };
  const { signedId } = signature;
  // The published id; a body that names another one than what was signed was put together by somebody.
  if (event.webhook_id !== undefined && signedId !== undefined && event.webhook_id !== signedId)
    return { verdict: "not_understood", why: "its body names another webhook_id than its header" };
  // Without an id nothing tells a delivery from its repetition, so each counts.
  const webhookId = signedId ?? event.webhook_id ?? newId();
  const isNew = await insertWebhookReceipt(database(), {
    webhookId,
    webhookType: event.webhook_type ?? "",
    userId: event.user_id ?? null,
    resourceId: event.resource_id ?? null,
    traceId: traceIdOf(headers.get("traceparent")),
  });
  if (isNew) return { verdict: "accepted", webhookId };
  await noteDuplicate(database(), webhookId);
  return { verdict: "duplicate", webhookId };
}
