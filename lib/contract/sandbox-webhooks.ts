import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { identifier, openEnum, timestamp, wholeNumber } from "./text.ts";
import { webhookEvent, webhookFaultKinds, webhookTypes } from "./webhooks.ts";

/** Has either an HTTP status or an error code. Decision D16 */
export const deliveryAttemptRecord = z.object({
  attempt: z.number(),
  sent_at: timestamp,
  duration_ms: z.number(),
  response_status: z.nullable(z.number()),
  error: z.nullable(z.string()),
});

/** `id` is the webhook_id, `fault` an injected fault. Decision D16 */
export const deliveryRecord = z.object({
  id: identifier,
  webhook_type: openEnum(webhookTypes),
  resource_id: identifier,
  status: openEnum(["pending", "delivered", "failed"]),
  fault: z.nullable(openEnum(webhookFaultKinds)),
  body: webhookEvent,
  trace_id: z.string(),
  created_at: timestamp,
  next_attempt_at: z.nullable(timestamp),
  delivered_at: z.nullable(timestamp),
  attempts: z.array(deliveryAttemptRecord),
});
export type DeliveryRecord = z.infer<typeof deliveryRecord>;

/** A disabled endpoint gets nothing until its address is set again. */
export const webhookEndpointRecord = z.object({
  url: z.nullable(z.string()),
  failing_since: z.nullable(timestamp),
  disabled_at: z.nullable(timestamp),
  previous_secret_expires_at: z.nullable(timestamp),
});

const faultRecord = z.object({ kind: openEnum(webhookFaultKinds), times: z.number() });

/** Deliveries, newest first, the endpoint, and the pending fault. `next` is null on the last page. */
export const deliveryList = z.object({
  endpoint: webhookEndpointRecord,
  fault: z.nullable(faultRecord),
  webhooks: z.array(deliveryRecord),
  next: z.nullable(identifier),
});
export type DeliveryList = z.infer<typeof deliveryList>;

/** Only this response shows the new secret. Only one old secret can sign: an even older one that still did ends now. */
export const rotatedWebhookSecret = z.object({
  webhook_secret: z.string(),
  previous_secret_expires_at: timestamp,
  older_secret_ended: z.boolean(),
});
export type RotatedWebhookSecret = z.infer<typeof rotatedWebhookSecret>;

/** `since` is real time. Decision D16 */
export const webhookRecovery = z.strictObject({ since: timestamp });

/** How many webhooks are sent again, and whether another call would send more. */
export const recoveredWebhooks = z.object({ webhooks: z.number(), more_exist: z.boolean() });
export type RecoveredWebhooks = z.infer<typeof recoveredWebhooks>;

/** A fault for the first attempts of the next `times` webhooks. */
export const webhookFaultRequest = z.strictObject({
  kind: z.enum(webhookFaultKinds),
  times: wholeNumber(limits.webhookFaultTimesMax),
});

/** The pending fault, or null. */
export const webhookFaultRecord = z.object({ fault: z.nullable(faultRecord) });
export type WebhookFaultRecord = z.infer<typeof webhookFaultRecord>;
