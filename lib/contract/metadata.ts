import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { wireFacts } from "./text.ts";

const allowedKey = /^[A-Za-z0-9_.-]+$/;

/** Why a key is invalid. Limits: published interface, "Metadata". */
export function problemOfMetadataKey(key: string): string | undefined {
  const length = characters(key);
  if (length < 1) return "A metadata key needs at least 1 character.";
  const max = limits.metadataKeyCharactersMax;
  if (length > max) return `A metadata key can have at most ${max} characters.`;
  if (!allowedKey.test(key))
    return "A metadata key can contain only letters a-z and A-Z, digits, underscore, period and hyphen.";
  return problemOfSensitiveText(key);
}

/** Why a value is invalid. Counts characters, not UTF-16 units (Decision D6). */
export function problemOfMetadataValue(value: string): string | undefined {
  const length = characters(value);
  if (length < 1) return "A metadata value needs at least 1 character.";
  const max = limits.metadataValueCharactersMax;
  if (length > max) return `A metadata value can have at most ${max} characters.`;
  if (value.includes("\0")) return "A metadata value must not contain the NUL character.";
  return problemOfSensitiveText(value);
}

/** The client's key/value pairs, within the published limits. Keys are case-sensitive. */
export const metadata = z.custom<Record<string, string>>(isRecord, "Must be an object of strings.").check((context) => {
  const pairs: [string, unknown][] = Object.entries(context.value);
  if (pairs.length > limits.metadataPairsMax) {
    context.issues.push({
      code: "custom",
      input: context.value,
      message: `Metadata holds at most ${limits.metadataPairsMax} pairs.`,
      path: [],
    });
  }
  for (const [key, value] of pairs) {
    const message =
      problemOfMetadataKey(key) ?? (typeof value === "string" ? problemOfMetadataValue(value) : "Must be a string.");
    if (message) context.issues.push({ code: "custom", input: context.value, message, path: [key] });
  }
});
export type Metadata = z.infer<typeof metadata>;

wireFacts.add(metadata, {
  type: "object",
  description: "Your own key/value pairs. Card numbers and social security numbers are refused.",
  maxProperties: limits.metadataPairsMax,
  propertyNames: { pattern: `^[A-Za-z0-9_.-]{1,${limits.metadataKeyCharactersMax}}$` },
  additionalProperties: { type: "string", minLength: 1, maxLength: limits.metadataValueCharactersMax },
});

// Not z.record, which silently drops a key named __proto__; the published limits allow it.
function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function problemOfSensitiveText(text: string): string | undefined {
  if (looksLikeCardNumber(text)) return "Metadata must not contain a card number.";
  if (looksLikeSsn(text)) return "Metadata must not contain a social security number.";
  return undefined;
}

function characters(text: string): number {
  return [...text].length;
}

// Decision D6: enforces the published rule against sensitive metadata, without false positives.

// A client's usual identifiers. One random UUID in 10,000 has digits like a card number's.
const uuids = /\b[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}\b/gi;

/** A network's prefix and length (14 to 19 digits), and a Luhn sum of zero, in whole groups of digits; not within a UUID. */
export function looksLikeCardNumber(text: string): boolean {
  for (const [run] of text.replaceAll(uuids, "…").matchAll(/\d+(?:[ -]\d+)*/g)) {
    const groups = run.split(/[ -]/);
    // Other groups, such as an expiry, may come before or after.
    for (const first of groups.keys()) {
      let digits = "";
      for (const group of groups.slice(first, first + 19)) {
        digits += group;
        if (digits.length < 14) continue;
        if (networks.some((network) => network.test(digits)) && luhnSum(digits) % 10 === 0) return true;
      }
    }
  }
  return false;
}

/** In its written form, `ddd-dd-dddd`. */
export function looksLikeSsn(text: string): boolean {
  return /(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/.test(text);
}

// Issuer ranges of ISO/IEC 7812: Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay.
const networks = [
  /^4(?:\d{15}|\d{18})$/,
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/,
  /^3[47]\d{13}$/,
  /^(?:6011|64[4-9]\d|65\d\d)\d{12}(?:\d{3})?$/,
  /^3(?:0[0-5]|[689]\d)\d{11}(?:\d{2,5})?$/,
  /^35(?:2[89]|[3-8]\d)\d{12}(?:\d{3})?$/,
  /^62\d{14}(?:\d{3})?$/,
];

function luhnSum(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}
