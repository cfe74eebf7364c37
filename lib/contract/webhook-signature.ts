import { createHmac } from "node:crypto";

export type SignedContent = { webhookId: string; sentAtSeconds: number; body: string };

/**
 * The three headers of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, one signature per secret (two
 * during a rotation). Secrets are `whsec_` and base64.
 */
export function signatureHeaders({ webhookId, sentAtSeconds, body }: SignedContent, secrets: string[]) {
  const content = `${webhookId}.${sentAtSeconds}.${body}`;
  const signatures = secrets.map((secret) => {
    // A string key with its encoding, because a Buffer takes Node four times as long.
    const hmac = createHmac("sha256", secret.replace(/^whsec_/, ""), { encoding: "base64" });
    return `v1,${hmac.update(content).digest("base64")}`;
  });
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": String(sentAtSeconds),
    "webhook-signature": signatures.join(" "),
  };
}
