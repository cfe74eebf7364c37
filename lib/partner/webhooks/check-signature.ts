import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { isSameSecret, keyedHash } from "../../kit/secrets.ts";
import { partnerConfig } from "../config.ts";

/** A delivery that was signed with one of our secrets. `signedId`: the id that the signature covers, where it covers one. */
export type SignatureCheck = { kind: "genuine"; signedId: string | undefined } | { kind: "not_genuine"; why: string };

/**
 * Whether a delivery comes from the service. How that is shown is not published (Decision D14): as Standard Webhooks says, or
 * where a setting names a header, by an HMAC-SHA256 of the body there. The second has no age: what was caught on its way can be
 * sent again, and makes Harbor fetch a record once more.
 */
export function checkSignature(body: string, headers: Headers): SignatureCheck {
  const { webhookSecrets, webhookSignatureHeader: header } = partnerConfig();
  const reasons = webhookSecrets.map((secret) =>
    header ? whyNotDigest(body, headers.get(header), secret) : whyNotStandard(body, headers, secret),
  );
  // While the secret is replaced, any signature by any of the secrets is right; the current secret says what is wrong.
  const [why] = reasons;
  if (why !== undefined && !reasons.includes(undefined)) return { kind: "not_genuine", why };
  return { kind: "genuine", signedId: header ? undefined : (headers.get("webhook-id") ?? undefined) };
}

// Refuses what is more than five minutes old or ahead as well.
function whyNotStandard(body: string, headers: Headers, secret: string): string | undefined {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers), { jsonParse: false });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message;
    throw error;
  }
}

function whyNotDigest(body: string, signature: string | null, secret: string): string | undefined {
  if (signature === null) return "the header that PARTNER_WEBHOOK_SIGNATURE_HEADER names is missing";
  const written = signature.trim().replace(/^sha256=/i, "");
  const digest = keyedHash(secret, body);
  const isRight =
    isSameSecret(written.toLowerCase(), digest.toString("hex")) || isSameSecret(written, digest.toString("base64"));
  return isRight
    ? undefined
    : "its signature is not the HMAC-SHA256 of its body by the secret in PARTNER_WEBHOOK_SECRET";
}
