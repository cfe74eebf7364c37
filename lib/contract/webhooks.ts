import * as z from "zod/mini";
import { identifier, word } from "./text.ts";

/** The first two are published. Decision D14 */
export const webhookTypes = ["user_intent_updated", "user_updated", "routine_updated", "transfer_updated"] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** Contains no status: the receiver fetches the record, and must accept unknown types. */
export const webhookEvent = z.object({
  webhook_type: word(webhookTypes),
  webhook_id: identifier,
  user_id: identifier,
  resource_id: identifier,
  metadata: z.optional(z.record(z.string(), z.string())),
});
export type WebhookEvent = z.infer<typeof webhookEvent>;

/** Faults that a sandbox can inject into a delivery. Decision D16 */
export const webhookFaultKinds = [
  "drop",
  "delay",
  "duplicate",
  "reorder",
  "tamper",
  "stale",
  "unknown_type",
  "old_secret",
] as const;
export type WebhookFaultKind = (typeof webhookFaultKinds)[number];
