import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { identifier, timestamp, word } from "./text.ts";
import { webhookEvent, webhookFaultKinds, webhookTypes } from "./webhooks.ts";

/** One try of a delivery: an HTTP status, or a word for what went wrong before there was one. Decision D16 */
export const deliveryAttemptRecord = z.object({
  attempt: z.number(),
  sent_at: timestamp,
  duration_ms: z.number(),
  response_status: z.nullable(z.number()),
  error: z.nullable(z.string()),
});

/** A webhook and all that became of it. `id` is its webhook_id; `fault` what this sandbox did to it on purpose. Decision D16 */
export const deliveryRecord = z.object({
  id: identifier,
  webhook_type: word(webhookTypes),
  resource_id: identifier,
  status: word(["pending", "delivered", "failed"]),
  fault: z.nullable(word(webhookFaultKinds)),
  body: webhookEvent,
  trace_id: z.string(),
  created_at: timestamp,
  next_attempt_at: z.nullable(timestamp),
  delivered_at: z.nullable(timestamp),
  attempts: z.array(deliveryAttemptRecord),
});
export type DeliveryRecord = z.infer<typeof deliveryRecord>;

/** Where the client's webhooks go. A disabled endpoint gets none until it is named again. */
export const webhookEndpointRecord = z.object({
  url: z.nullable(z.string()),
  failing_since: z.nullable(timestamp),
  disabled_at: z.nullable(timestamp),
  previous_secret_expires_at: z.nullable(timestamp),
});

const faultRecord = z.object({ kind: word(webhookFaultKinds), times: z.number() });

/**
 * Answer to `GET /sandbox/webhooks`: a page of the deliveries, newest first, the endpoint, and the fault that is set. `next` is the
 * id to continue after, or null on the last page.
 */
export const deliveryList = z.object({
  endpoint: webhookEndpointRecord,
  fault: z.nullable(faultRecord),
  webhooks: z.array(deliveryRecord),
  next: z.nullable(identifier),
});
export type DeliveryList = z.infer<typeof deliveryList>;

/** Answer to `POST /sandbox/webhook_endpoint/rotate`, the only time that the new secret is shown. */
export const rotatedWebhookSecret = z.object({ webhook_secret: z.string(), previous_secret_expires_at: timestamp });
export type RotatedWebhookSecret = z.infer<typeof rotatedWebhookSecret>;

const { webhookFaultTimesMax } = limits;

/** Body of `PUT /sandbox/webhook_faults`: what the next `times` webhooks are to suffer, each at its first attempt. */
export const webhookFaultRequest = z.strictObject({
  kind: z.enum(webhookFaultKinds),
  times: z
    .int("Must be a whole number.")
    .check(z.minimum(1, "Is at least 1."), z.maximum(webhookFaultTimesMax, `Is at most ${webhookFaultTimesMax}.`)),
});

/** Answer to `PUT` and `DELETE /sandbox/webhook_faults`: what is still to go wrong; null when nothing is. */
export const webhookFaultRecord = z.object({ fault: z.nullable(faultRecord) });
export type WebhookFaultRecord = z.infer<typeof webhookFaultRecord>;
