import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { identifier, optional, recordOf } from "./reading.ts";

/** The body of a webhook. Only the two user events are published; others may omit any field. */
export type WebhookEvent = {
  webhook_type?: string | undefined;
  webhook_id?: string | undefined;
  user_id?: string | undefined;
  resource_id?: string | undefined;
};

/**
 * `genuine`: signed with one of our secrets, recent if signed with a time, and JSON. `webhookId` is the same for repeated
 * deliveries, and undefined if neither the signature nor the body has one. `why` is for developers.
 */
export type VerifiedWebhook =
  | { kind: "genuine"; webhookId: string | undefined; event: WebhookEvent }
  | { kind: "not_genuine"; why: string }
  | { kind: "not_understood"; why: string };

/** How deliveries are signed. Not published (Decision D14). */
export type WebhookSettings = {
  /** The current secret first, then the previous one during a rotation; `whsec_` and base64 for Standard Webhooks. */
  secrets: readonly string[];
  /** The header with an HMAC-SHA256 of the body, for a service that doesn't use Standard Webhooks. */
  signatureHeader?: string | undefined;
  /** Milliseconds since 1970; the system clock by default. */
  now?: () => number;
};

// Standard Webhooks 1.0
const toleranceSeconds = 5 * 60;

const readRecord = recordOf({
  webhook_type: optional(identifier),
  webhook_id: optional(identifier),
  user_id: optional(identifier),
  resource_id: optional(identifier),
});

/**
 * Verifies and reads a delivery. Standard Webhooks signs id, time and body: deliveries more than five minutes old or ahead
 * are refused. A digest in a header covers only the body, so a captured delivery can be replayed.
 * @param body exactly as received, because the signature covers its bytes
 */
export function verifyWebhook(body: string, headers: Headers, settings: WebhookSettings): VerifiedWebhook {
  const { secrets, signatureHeader, now = Date.now } = settings;
  const problems = secrets.map((secret) =>
    signatureHeader
      ? problemOfDigest(body, headers.get(signatureHeader), secret)
      : problemOfSignature(body, headers, secret, Math.floor(now() / 1000)),
  );
  // During a rotation either secret is accepted; the problem reported is the current secret's.
  if (!problems.includes(undefined)) return { kind: "not_genuine", why: problems[0] ?? "no secret is set" };
  const event = readWebhookEvent(body);
  if (!event) return { kind: "not_understood", why: "its body isn't JSON" };
  const headerId = signatureHeader ? undefined : (headers.get("webhook-id") ?? undefined);
  return { kind: "genuine", webhookId: headerId ?? event.webhook_id, event };
}

/** Reads a webhook's body without verifying it; undefined if it isn't JSON. */
export function readWebhookEvent(body: string): WebhookEvent | undefined {
  try {
    const reading = readRecord(JSON.parse(body));
    return reading.kind === "ok" ? reading.body : {};
  } catch {
    return undefined;
  }
}

function problemOfSignature(body: string, headers: Headers, secret: string, nowSeconds: number): string | undefined {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headers.get(name),
  );
  if (!id || !timestamp || !signatures) return "the Standard Webhooks headers are missing";
  if (!/^\d{1,15}$/.test(timestamp)) return "its webhook-timestamp isn't a time in seconds";
  const aheadSeconds = Number(timestamp) - nowSeconds;
  if (Math.abs(aheadSeconds) > toleranceSeconds)
    return `its webhook-timestamp is more than five minutes ${aheadSeconds < 0 ? "old" : "ahead"}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length === 0) throw new Error("A webhook secret must be whsec_ followed by base64.");
  const expected = `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  return signatures.split(" ").some((signature) => isSame(signature, expected))
    ? undefined
    : "none of its signatures was made with this secret";
}

function problemOfDigest(body: string, signature: string | null, secret: string): string | undefined {
  if (secret === "") throw new Error("A webhook secret is empty.");
  if (signature === null) return "the header with its signature is missing";
  const received = signature.trim().replace(/^sha256=/i, "");
  const digest = createHmac("sha256", secret).update(body).digest();
  const isRight = isSame(received.toLowerCase(), digest.toString("hex")) || isSame(received, digest.toString("base64"));
  return isRight ? undefined : "its signature isn't the HMAC-SHA256 of its body with this secret";
}

/** Compares in constant time, even if the lengths differ. */
function isSame(left: string, right: string): boolean {
  const [leftHash, rightHash] = [left, right].map((text) => createHash("sha256").update(text).digest());
  return leftHash !== undefined && rightHash !== undefined && timingSafeEqual(leftHash, rightHash);
}
