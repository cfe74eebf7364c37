import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { log } from "../../kit/log.ts";
import { traceIdOf } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { recordWebhook } from "../inspector/record-webhook.ts";
import { readWebhookEvent } from "../service-client/webhook-event.ts";
import { database } from "../storage/database.ts";
import { insertWebhookReceipt, noteDuplicate } from "../storage/webhook-receipts.ts";

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

/** `why`: why it was turned away, for a developer. */
type Judged = { verdict: WebhookVerdict; why?: string };

/**
 * Four checks, in this order: genuine, fresh, JSON, new. What a service announces beyond the published events is kept too.
 * Only then is the delivery kept, by one statement; what it
 * means is worked out afterwards by the worker, so that the service has its answer at once.
 * @param body exactly as it arrived, because the signature is over its bytes
 */
export async function receiveWebhook(body: string, headers: Headers): Promise<WebhookVerdict> {
  const startedAt = new Date();
  const { verdict, why } = await judge(body, headers);
  const entry = { webhookId: headers.get("webhook-id"), verdict, why };
  const isReceived = verdict === "accepted" || verdict === "duplicate";
  if (isReceived) log().info(entry, "webhook received");
  else log().warn(entry, "webhook turned away");
  const outcome = isReceived ? verdict : "turned_away";
  recordWebhook({ body, headers, outcome, status: statusOfVerdict[verdict], why, startedAt });
  return verdict;
}

async function judge(body: string, headers: Headers): Promise<Judged> {
  const refusal = whyNotGenuine(body, headers);
  if (refusal !== undefined) return { verdict: "not_genuine", why: refusal };
  const event = readWebhookEvent(body);
  // The id is signed as the header, which a genuine delivery has.
  const webhookId = headers.get("webhook-id");
  if (!event || !webhookId) return { verdict: "not_understood", why: "its body is no JSON" };
  // The published id; a body that names another one was put together by somebody.
  if (event.webhook_id !== undefined && event.webhook_id !== webhookId)
    return { verdict: "not_understood", why: "its body names another webhook_id than its header" };
  const isNew = await insertWebhookReceipt(database(), {
    webhookId,
    webhookType: event.webhook_type ?? "",
    userId: event.user_id ?? null,
    resourceId: event.resource_id ?? null,
    traceId: traceIdOf(headers.get("traceparent")),
  });
  if (isNew) return { verdict: "accepted" };
  await noteDuplicate(database(), webhookId);
  return { verdict: "duplicate" };
}

// While the secret is replaced, any signature by any of the secrets is right; the current secret says what is wrong.
function whyNotGenuine(body: string, headers: Headers): string | undefined {
  const [why, ...others] = partnerConfig().webhookSecrets.map((secret) => whyNotSigned(body, headers, secret));
  return others.includes(undefined) ? undefined : why;
}

// Decision D14: Standard Webhooks, which refuses what is more than five minutes old or ahead as well.
function whyNotSigned(body: string, headers: Headers, secret: string): string | undefined {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers), { jsonParse: false });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message;
    throw error;
  }
}
