import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { looksLikeCardNumber, looksLikeSsn } from "./sensitive-text.ts";
import { wireFacts } from "./wire-facts.ts";

const allowedKey = /^[A-Za-z0-9_.-]+$/;

/** Why a metadata key is refused, or undefined when it is fine. Limits: published interface, "Metadata". */
export function problemOfMetadataKey(key: string): string | undefined {
  const length = characters(key);
  if (length < 1) return "A metadata key needs at least 1 character.";
  const max = limits.metadataKeyCharactersMax;
  if (length > max) return `A metadata key has at most ${max} characters.`;
  if (!allowedKey.test(key))
    return "A metadata key holds only letters a-z and A-Z, digits, underscore, period and hyphen.";
  return problemOfSensitiveText(key);
}

/** Why a metadata value is refused, or undefined when it is fine. Length counts characters, not UTF-16 units (Decision D6). */
export function problemOfMetadataValue(value: string): string | undefined {
  const length = characters(value);
  if (length < 1) return "A metadata value needs at least 1 character.";
  const max = limits.metadataValueCharactersMax;
  if (length > max) return `A metadata value has at most ${max} characters.`;
  if (value.includes("\0")) return "A metadata value must not hold the NUL character.";
  return problemOfSensitiveText(value);
}

/** The client's own key/value pairs on a user intent, within the published limits. Keys are case-sensitive. */
export const metadata = z.custom<Record<string, string>>(isRecord, "Must be an object of texts.").check((context) => {
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
      problemOfMetadataKey(key) ?? (typeof value === "string" ? problemOfMetadataValue(value) : "Must be a text.");
    if (message) context.issues.push({ code: "custom", input: context.value, message, path: [key] });
  }
});
export type Metadata = z.infer<typeof metadata>;

wireFacts.add(metadata, {
  type: "object",
  description: "Your own pairs. Card numbers and social security numbers are refused.",
  maxProperties: limits.metadataPairsMax,
  propertyNames: { pattern: `^[A-Za-z0-9_.-]{1,${limits.metadataKeyCharactersMax}}$` },
  additionalProperties: { type: "string", minLength: 1, maxLength: limits.metadataValueCharactersMax },
});

// Not z.record, which drops a key named __proto__ without a word; the published limits allow it.
function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function problemOfSensitiveText(text: string): string | undefined {
  if (looksLikeCardNumber(text)) return "Metadata must not hold a card number.";
  if (looksLikeSsn(text)) return "Metadata must not hold a social security number.";
  return undefined;
}

function characters(text: string): number {
  return [...text].length;
}
