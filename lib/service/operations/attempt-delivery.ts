import { createBatcher } from "../../kit/batcher.ts";
import { decryptText } from "../../kit/encryption.ts";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import { serviceConfig } from "../config.ts";
import { nextAttemptDelayMs, retryAfterMsOf } from "../domain/delivery-schedule.ts";
import { countWebhookAttempt } from "../metrics.ts";
import type { SendWebhook, WebhookReply } from "../outbound/deliver-webhook.ts";
import { database } from "../storage/database.ts";
import {
  type AttemptResult,
  type ClaimedDelivery,
  recordAttempts,
  releaseDelivery,
} from "../storage/delivery-attempts.ts";
import { webhookSecretContext } from "../storage/webhook-endpoints.ts";

/** A claimed delivery with its secrets readable. */
export type SendableDelivery = ClaimedDelivery & { secrets: string[] };

/** Makes the secrets of a claimed set readable; an endpoint's are decrypted once, however many deliveries it gets. */
export function openSecrets(deliveries: ClaimedDelivery[]): Promise<SendableDelivery[]> {
  const opened = new Map<string, Promise<string>>();
  function open(clientId: string, encrypted: string): Promise<string> {
    const secret =
      opened.get(encrypted) ?? decryptText(encrypted, webhookSecretContext(clientId), serviceConfig().keyring);
    opened.set(encrypted, secret);
    return secret;
  }
  return Promise.all(
    deliveries.map(async (delivery) => {
      const { clientId, secretEncrypted, previousSecretEncrypted } = delivery;
      const encrypted = [secretEncrypted, ...(previousSecretEncrypted === null ? [] : [previousSecretEncrypted])];
      return { ...delivery, secrets: await Promise.all(encrypted.map((text) => open(clientId, text))) };
    }),
  );
}

/**
 * Attempts one delivery by `send` and writes down what came of it. Attempts cut short by `stopping` are not written but handed back,
 * so that another process makes them at once.
 */
export async function attemptDelivery(
  delivery: SendableDelivery,
  send: SendWebhook,
  stopping: AbortSignal,
): Promise<void> {
  const sentAt = new Date();
  const reply = await send({ ...delivery, sentAt }, stopping);
  if (stopping.aborted && reply.kind === "unanswered") {
    await releaseDelivery(database(), delivery.id);
    return;
  }
  const durationMs = Date.now() - sentAt.getTime();
  const result = judge(delivery, reply);
  await record()({ ...result, deliveryId: delivery.id, clientId: delivery.clientId, sentAt, durationMs });
  countWebhookAttempt(result.status);
  const { traceId, clientId, id: webhookId } = delivery;
  log().info({ traceId, clientId, webhookId, ...result }, "webhook attempted");
}

function judge(
  { attempts }: SendableDelivery,
  reply: WebhookReply,
): Pick<AttemptResult, "attempt" | "responseStatus" | "error" | "status" | "delayMs" | "isGone"> {
  const attempt = attempts + 1;
  const responseStatus = reply.kind === "answered" ? reply.status : null;
  const error = reply.kind === "unanswered" ? reply.error : null;
  const common = { attempt, responseStatus, error, isGone: responseStatus === 410 };
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300) {
    return { ...common, status: "delivered", delayMs: null };
  }
  const retryAfterMs = reply.kind === "answered" ? retryAfterMsOf(reply.retryAfter, Date.now()) : undefined;
  const delayMs = nextAttemptDelayMs(attempt, { random: Math.random(), retryAfterMs }) ?? null;
  return { ...common, status: delayMs === null ? "failed" : "pending", delayMs };
}

// One set at a time, so that two sets never wait for each other's rows.
const record = processWide("service.delivery_attempts", () => createBatcher({ run: recordAttempts, inFlightMax: 1 }));
