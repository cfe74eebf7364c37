import { verifyWebhook } from "#client";
import { limits } from "../../contract/limits.ts";
import { newId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import { traceIdOf } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { countDuplicate, insertWebhookReceipt } from "../storage/webhook-receipts.ts";

/** The verdict on a delivery; only the first two are answered with success. */
export type WebhookVerdict = "accepted" | "duplicate" | "too_large" | "not_genuine" | "not_understood";

export const statusOfVerdict: Record<WebhookVerdict, number> = {
  accepted: 202,
  duplicate: 200,
  not_understood: 400,
  not_genuine: 401,
  too_large: 413,
};

type Judged = { verdict: WebhookVerdict; why?: string; webhookId?: string };

/**
 * Verifies and stores a delivery. The worker applies it, so the service gets its answer right away.
 * @param body exactly as it arrived: the signature covers its bytes
 */
export async function receiveWebhook(partner: Partner, body: string, headers: Headers): Promise<WebhookVerdict> {
  const startedAt = partner.clock();
  const { verdict, why, webhookId } = await judge(partner, body, headers);
  const entry = { webhookId, verdict, why };
  const isReceived = verdict === "accepted" || verdict === "duplicate";
  if (isReceived) log().info(entry, "webhook received");
  else log().warn(entry, "webhook turned away");
  const outcome = isReceived ? verdict : "turned_away";
  partner.observe.webhook({ body, headers, outcome, status: statusOfVerdict[verdict], why, startedAt });
  return verdict;
}

async function judge(partner: Partner, body: string, headers: Headers): Promise<Judged> {
  const { webhookSecrets: secrets, webhookSignatureHeader: signatureHeader } = partner.config;
  const verified = verifyWebhook(body, headers, { secrets, signatureHeader, now: () => partner.clock().getTime() });
  if (verified.kind !== "genuine") return { verdict: verified.kind, why: verified.why };
  const { event } = verified;
  // Without an id, duplicates can't be detected.
  const webhookId = verified.webhookId ?? newId();
  const isNew = await insertWebhookReceipt(partner.db, {
    webhookId,
    webhookType: event.webhook_type ?? "",
    userId: event.user_id ?? null,
    resourceId: event.resource_id ?? null,
    traceId: traceIdOf(headers.get("traceparent")),
  });
  if (isNew) return { verdict: "accepted", webhookId };
  await countDuplicate(partner.db, webhookId);
  return { verdict: "duplicate", webhookId };
}

/** The body as text, or undefined if it exceeds 64 KiB: unverified senders get no more memory. */
export async function readWebhookBody(request: Request): Promise<string | undefined> {
  if (!request.body) return "";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body) {
    bytes += part.byteLength;
    if (bytes > limits.requestBytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
