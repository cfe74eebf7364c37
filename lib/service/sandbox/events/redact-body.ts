import { looksLikeCardNumber, looksLikeSsn } from "../../../contract/people.ts";
import { uuids } from "../../../kit/ids.ts";

export const redacted = "[redacted]";

// An allowlist, so new, unknown, and misspelled fields are hidden.
const visibleFields = new Set([
  ...["id", "status", "kyc_type", "user_type", "receive_only", "rejection_reasons", "created_at", "updated_at"],
  ...["first_name", "last_name", "email", "phone", "user_id", "user_intent_id"],
  ...["grant_type", "redirect_uri", "token_type", "expires_in", "expires_at", "trusted", "provider", "provider_data"],
  ...["customer_id", "name", "type", "mask", "currency", "current_balance", "available_balance", "count", "accounts"],
  ...["amount", "source_id", "destination_id", "active", "transfer_id", "routine_id", "routine_name", "failure_reason"],
  ...["routines", "transfers", "next", "limit", "reason", "description", "errors", "field", "message", "request_id"],
  ...["error", "error_description", "lastAuthenticationTime", "webhook_type", "webhook_id", "resource_id"],
  ...["response_type", "code_challenge_method"],
  // Sandbox requests.
  ...["seconds", "now", "offset_seconds", "operation", "kind", "times", "remaining", "latency_ms"],
  ...["since", "webhooks", "more_exist"],
]);
// `code` is a reason code in an answer but an authorization code in a request.
const visibleInAnswers = new Set([...visibleFields, "code"]);

// The service's secrets (`newSecret`), with their cell's mark, and webhook secrets.
const secretPattern = /gw[a-z]_(?:\d+\.)?[\w-]{16,}|whsec_[\w+/=-]*/;

// Larger than any valid body.
const depthMax = 6;
const textCharactersMax = 500;
const itemsMax = 50;

/**
 * Keeps only allowlisted fields, and no text with a token, card number, or SSN. The result is small, plain JSON for any input.
 */
export function redactBody(body: unknown, side: "request" | "response"): unknown {
  // A non-object has no allowlisted field.
  if (typeof body !== "object") return body === undefined ? null : redacted;
  return redactValue(body, side === "request" ? visibleFields : visibleInAnswers, 0);
}

/** Truncates long texts, and redacts texts with a secret or personal number. */
export function redactText(text: string): string {
  if (holdsSecret(text) || holdsPersonalNumber(text)) return redacted;
  return text.length > textCharactersMax ? `${text.slice(0, textCharactersMax)}…` : text;
}

/**
 * Removes secrets, personal numbers, and control characters from a webhook receiver's response.
 */
export function redactAnswer(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
  const plain = text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
  const withoutSecrets = plain.replaceAll(new RegExp(secretPattern, "g"), redacted);
  return holdsPersonalNumber(withoutSecrets) ? redacted : withoutSecrets;
}

export function holdsSecret(text: string): boolean {
  return secretPattern.test(text);
}

function holdsPersonalNumber(text: string): boolean {
  const withoutIds = text.replaceAll(uuids, "#");
  return looksLikeSsn(withoutIds) || looksLikeCardNumber(withoutIds) || /(?<!\d)\d{9}(?!\d)/.test(withoutIds);
}

function redactValue(value: unknown, shown: ReadonlySet<string> | "all", depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "number") return redactText(String(value)) === redacted ? redacted : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= depthMax) return redacted;
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => redactValue(item, shown, depth + 1));
  const fields = Object.entries(value).slice(0, itemsMax);
  return Object.fromEntries(
    fields.map(([name, inner]) => [redactText(name), redactField(name, inner, shown, depth + 1)]),
  );
}

function redactField(name: string, value: unknown, shown: ReadonlySet<string> | "all", depth: number): unknown {
  // The client's own texts. They must not be sensitive, but we check them anyway.
  if (name === "metadata") return redactValue(value, "all", depth);
  if (shown === "all" || shown.has(name)) return redactValue(value, shown, depth);
  return value === null ? null : redacted;
}
