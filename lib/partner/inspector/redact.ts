import { excerptOf } from "#client";
import { personalFieldNames } from "../../contract/people.ts";
import { hideFields } from "../../kit/hide-fields.ts";
import { uuids } from "../../kit/ids.ts";
import { secretFieldNames } from "../../kit/log.ts";
import type { RedactedMessage } from "./schema.ts";

export const redacted = "[redacted]";

// The same names that logs hide. Metadata keeps its keys.
const hiddenNames = new Set([...secretFieldNames, ...personalFieldNames, "assertion", "signature"]);
hiddenNames.delete("metadata");

const charactersMax = 8000;
const shownHeaders =
  /^(accept|content-type|traceparent|request-id|x-request-id|retry-after|idempotent-replayed|webhook-id|webhook-timestamp)$/;

/** Removes secrets and personal data from a message. */
export function redactMessage(headers: Headers | Record<string, string>, text: string | undefined): RedactedMessage {
  const pairs = [...new Headers(headers)].flatMap(([name, value]): [string, string][] => {
    // The idempotency header's name is a setting; its value is a UUID.
    if (shownHeaders.test(name) || isUuid(value)) return [[name, value]];
    if (name === "authorization")
      return [[name, `${/^(?:Basic|Bearer)\b/i.exec(value)?.[0] ?? ""} ${redacted}`.trim()]];
    return name === "webhook-signature" ? [[name, redacted]] : [];
  });
  return { headers: Object.fromEntries(pairs), ...redactText(text ?? "") };
}

function redactText(text: string): Pick<RedactedMessage, "body" | "charactersLeftOut"> {
  if (text === "") return {};
  if (text.length > charactersMax) return { charactersLeftOut: text.length };
  try {
    return { body: redactBody(JSON.parse(text)) };
  } catch {
    return { body: excerptOf(text, undefined) };
  }
}

/** A text without a field's name, unless it looks like a secret or personal data. */
export function redactPhrase(text: string): string {
  return looksPrivate(text) ? redacted : text;
}

/** Removes fields by name, and text that looks like a secret or personal data. */
export function redactBody(body: unknown): unknown {
  const { body: named } = hideFields({ body }, hiddenNames);
  return redactByPattern(named, "");
}

function redactByPattern(value: unknown, name: string): unknown {
  if (typeof value === "string") return redactPhrase(value);
  if (typeof value === "number") return looksPrivate(String(value)) ? redacted : value;
  if (Array.isArray(value)) return value.map((item) => redactByPattern(item, name));
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    name === "metadata" ? redacted : redactByPattern(item, key),
  ]);
  return Object.fromEntries(pairs);
}

function isUuid(text: string): boolean {
  return text.replace(uuids, "") === "";
}

// A token, which isn't all lower case like a reason; an ssn; an email address; a phone.
const privatePatterns = [
  /(?=[\w+/=-]*[\dA-Z])[\w+/=-]{24,}/,
  /(?<![\d.])\d{3}-?\d\d-?\d{4}(?![\d.])/,
  /\S@\S/,
  /\+\d{10}/,
];

function looksPrivate(text: string): boolean {
  const rest = text.replaceAll(uuids, "");
  return privatePatterns.some((pattern) => pattern.test(rest));
}
