import { createHmac } from "node:crypto";
import * as z from "zod/mini";
import { identifier, openEnum } from "./text.ts";

/** The first two are published. Decision D14 */
export const webhookTypes = ["user_intent_updated", "user_updated", "routine_updated", "transfer_updated"] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** Contains no status: the receiver fetches the record. It must accept unknown types. */
export const webhookEvent = z.object({
  webhook_type: openEnum(webhookTypes),
  webhook_id: identifier,
  user_id: identifier,
  resource_id: identifier,
  metadata: z.optional(z.record(z.string(), z.string())),
});
export type WebhookEvent = z.infer<typeof webhookEvent>;

export type SignedContent = { webhookId: string; sentAtSeconds: number; body: string };

/**
 * The three headers of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, one signature per secret (two
 * during a rotation). Secrets are `whsec_` and base64.
 */
export function signatureHeaders({ webhookId, sentAtSeconds, body }: SignedContent, secrets: string[]) {
  const content = `${webhookId}.${sentAtSeconds}.${body}`;
  const signatures = secrets.map((secret) => {
    // A string key with its encoding: with a Buffer, Node takes four times as long.
    const hmac = createHmac("sha256", secret.replace(/^whsec_/, ""), { encoding: "base64" });
    return `v1,${hmac.update(content).digest("base64")}`;
  });
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": String(sentAtSeconds),
    "webhook-signature": signatures.join(" "),
  };
}

/** Faults that a sandbox can inject into a delivery. Decision D16 */
export const webhookFaultKinds = [
  "drop",
  "delay",
  "duplicate",
  "reorder",
  "withhold",
  "tamper",
  "stale",
  "unknown_type",
  "reformatted",
  "old_secret",
] as const;
export type WebhookFaultKind = (typeof webhookFaultKinds)[number];
