import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { userIntentStatuses, userStatuses } from "./statuses.ts";
import { identifier, openEnum, text, timestamp, wireFacts } from "./text.ts";

/** US states, the District of Columbia and the territories (USPS Publication 28). */
export const stateCodes =
  "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI".split(
    " ",
  );

/** A US number in E.164. Decision D6 */
export const phone = z.string().check(z.regex(/^\+1[2-9]\d{9}$/, "Must be a US number like +12025550123."));

/**
 * Nine digits, or the last four, without dashes. Refuses numbers that are never assigned: a part of only zeros, or a start
 * of 666 or 9 (https://www.ssa.gov/employer/randomizationfaqs.html). Decision D6
 */
export const ssn = z
  .string()
  .check(
    z.regex(/^(?:\d{9}|\d{4})$/, { message: "Must be nine digits, or the last four, without dashes.", abort: true }),
    z.regex(/^(?:(?!000|666|9)\d{3}(?!00)\d{2})?(?!0000)\d{4}$/, "Must be a number that can be assigned."),
  );

const ageRange = `${limits.ageYearsMin} to ${limits.ageYearsMax}`;

/** `YYYY-MM-DD`; the person's age must be in the allowed range. */
export const dateOfBirth = z
  .string()
  .check(
    z.regex(z.regexes.date, { message: "Must be a real date like 1990-01-31.", abort: true }),
    z.refine((value) => isAgeAllowed(value, new Date()), `The person must be ${ageRange} years old.`),
  )
  .register(wireFacts, { type: "string", format: "date", description: `The person is ${ageRange} years old.` });

/** The fields of a user intent, kept separate so that a form can validate each one. Decision D6 */
export const userIntentFields = {
  first_name: text(limits.nameCharactersMax),
  last_name: text(limits.nameCharactersMax),
  date_of_birth: dateOfBirth,
  ssn,
  phone,
  email: z.string().check(
    z.maxLength(limits.emailCharactersMax, `Must have at most ${limits.emailCharactersMax} characters.`),
    // The pattern of `<input type="email">`, so that browser and service agree.
    z.regex(z.regexes.html5Email, "Must be an email address."),
  ),
  address1: text(limits.addressCharactersMax),
  address2: z.optional(text(limits.addressCharactersMax)),
  city: text(limits.nameCharactersMax),
  state: z.enum(stateCodes, "Must be a two-letter US state code."),
  postal_code: z.string().check(z.regex(/^\d{5}$/, "Must be five digits.")),
  ip_address: z.union([z.ipv4(), z.ipv6()], "Must be an IPv4 or IPv6 address."),
};

const allowedMetadataKey = /^[A-Za-z0-9_.-]+$/;

/** Why a key is invalid. Limits: published interface, "Metadata". */
export function problemOfMetadataKey(key: string): string | undefined {
  const length = characters(key);
  if (length < 1) return "A metadata key needs at least 1 character.";
  const max = limits.metadataKeyCharactersMax;
  if (length > max) return `A metadata key can have at most ${max} characters.`;
  if (!allowedMetadataKey.test(key))
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

/** Refuses unknown fields (Decision D3). */
export const createUserIntentRequest = z.strictObject({ ...userIntentFields, metadata: z.optional(metadata) }).check(
  z.refine((intent) => !holdsText(intent.metadata, intent.ssn), {
    message: "Metadata must not contain the person's social security number.",
    path: ["metadata"],
  }),
);
export type CreateUserIntentRequest = z.infer<typeof createUserIntentRequest>;

export const createdUserIntent = z.object({
  id: identifier,
  status: openEnum(userIntentStatuses),
  metadata: z.optional(z.record(z.string(), z.string())),
  created_at: timestamp,
});
export type CreatedUserIntent = z.infer<typeof createdUserIntent>;

/** Shown to the person. Decision D7 */
export const rejectionReason = z.object({ code: z.string(), message: z.string() });
export type RejectionReason = z.infer<typeof rejectionReason>;

/** Typed by an operator and shown to the person, so its length is limited. */
export const reasonByHand = z.strictObject({
  code: text(limits.rejectionCodeCharactersMax),
  message: text(limits.rejectionMessageCharactersMax),
});

/** Never contains the ssn, date of birth or address. */
export const userIntentRecord = z.object({
  id: identifier,
  status: openEnum(userIntentStatuses),
  kyc_type: openEnum(["verified", "unverified"]),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  phone: z.string(),
  metadata: z.optional(z.record(z.string(), z.string())),
  rejection_reasons: z.array(rejectionReason),
  user_id: z.nullable(identifier),
  created_at: timestamp,
  updated_at: timestamp,
});
export type UserIntentRecord = z.infer<typeof userIntentRecord>;

/** In calendar years in UTC, both limits included. */
export function isAgeAllowed(value: string, now: Date): boolean {
  const [year = 0, month = 0, day = 0] = value.split("-").map(Number);
  const hadBirthday = [now.getUTCMonth() + 1, now.getUTCDate()];
  const beforeBirthday = month > (hadBirthday[0] ?? 0) || (month === hadBirthday[0] && day > (hadBirthday[1] ?? 0));
  const age = now.getUTCFullYear() - year - (beforeBirthday ? 1 : 0);
  return age >= limits.ageYearsMin && age <= limits.ageYearsMax;
}

/** Whether metadata contains a full social security number. Four digits could be a coincidence. */
export function holdsText(pairs: Record<string, string> | undefined, secret: string): boolean {
  if (!pairs || secret.length !== 9) return false;
  return Object.entries(pairs).some(([key, value]) => key.includes(secret) || value.includes(secret));
}

export const userRecord = z.object({
  id: identifier,
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  kyc_type: openEnum(["verified", "unverified"]),
  metadata: z.optional(z.record(z.string(), z.string())),
  receive_only: z.boolean(),
  rejection_reasons: z.array(rejectionReason),
  status: openEnum(userStatuses),
  user_type: openEnum(["personal", "business"]),
});
export type UserRecord = z.infer<typeof userRecord>;

const mayBeLogged = ["first_name", "last_name", "city", "state"];

/** Fields that must not be logged, by wire and code name. A field added to the user intent is included by default. */
export const personalFieldNames = Object.keys(userIntentFields)
  .filter((name) => !mayBeLogged.includes(name))
  .flatMap((name) => [name, name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())]);

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
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}
