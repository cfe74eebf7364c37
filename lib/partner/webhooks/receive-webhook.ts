import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { webhookEvent } from "../../contract/webhooks.ts";
import { log } from "../../kit/log.ts";
import { traceIdOf } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { insertWebhookReceipt } from "../storage/webhook-receipts.ts";

/** What became of a delivery; only the first two are answered with success. */
export type WebhookVerdict = "accepted" | "duplicate" | "too_large" | "not_genuine" | "not_understood";

/**
 * Four gates, in this order: genuine, fresh, understood, new. Only then is the delivery kept, by one statement; what it
 * means is worked out afterwards by the worker, so that the service has its answer at once.
 * @param body exactly as it arrived, because the signature is over its bytes
 */
export async function receiveWebhook(body: string, headers: Headers): Promise<WebhookVerdict> {
  const verdict = await judge(body, headers);
  const entry = { webhookId: headers.get("webhook-id"), verdict };
  if (verdict === "accepted" || verdict === "duplicate") log().info(entry, "webhook received");
  else log().warn(entry, "webhook turned away");
  return verdict;
}

async function judge(body: string, headers: Headers): Promise<WebhookVerdict> {
  if (!isGenuineAndFresh(body, headers)) return "not_genuine";
  const event = webhookEvent.safeParse(jsonOf(body));
  // The id is signed as the header; a body that names another one was put together by somebody.
  if (!event.success || event.data.webhook_id !== headers.get("webhook-id")) return "not_understood";
  const { webhook_id, webhook_type, user_id, resource_id } = event.data;
  // An identifier is any text to us, but PostgreSQL cannot hold NUL.
  if (/\p{Cc}/u.test(webhook_id + webhook_type + user_id + resource_id)) return "not_understood";
  const isNew = await insertWebhookReceipt({
    webhookId: webhook_id,
    webhookType: webhook_type,
    userId: user_id,
    resourceId: resource_id,
    traceId: traceIdOf(headers.get("traceparent")),
  });
  return isNew ? "accepted" : "duplicate";
}

// Decision D14: Standard Webhooks, which refuses what is more than five minutes old or ahead as well.
function isGenuineAndFresh(body: string, headers: Headers): boolean {
  try {
    new Webhook(partnerConfig().webhookSecret).verify(body, Object.fromEntries(headers), { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
