import * as z from "zod/mini";

// Decision D14; the first two are the published ones.
export const webhookTypes = ["user_intent_updated", "user_updated", "routine_updated", "transfer_updated"] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** A delivery's body. It carries no status: the receiver fetches the record. A receiver must bear types it does not know. */
export const webhookEvent = z.object({
  webhook_type: z.string(),
  webhook_id: z.string(),
  user_id: z.string(),
  resource_id: z.string(),
  metadata: z.optional(z.record(z.string(), z.string())),
});
export type WebhookEvent = z.infer<typeof webhookEvent>;
