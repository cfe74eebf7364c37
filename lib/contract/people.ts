import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { metadata } from "./metadata.ts";
import { userIntentStatuses, userStatuses } from "./statuses.ts";
import { identifier, text, timestamp, wireFacts, word } from "./text.ts";

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
export const dateOfBirth = z.iso
  .date({ error: "Must be a real date like 1990-01-31.", abort: true })
  .check(z.refine((value) => isAgeAllowed(value, new Date()), `The person must be ${ageRange} years old.`))
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
  status: word(userIntentStatuses),
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
  status: word(userIntentStatuses),
  kyc_type: word(["verified", "unverified"]),
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
  kyc_type: word(["verified", "unverified"]),
  metadata: z.optional(z.record(z.string(), z.string())),
  receive_only: z.boolean(),
  rejection_reasons: z.array(rejectionReason),
  status: word(userStatuses),
  user_type: word(["personal", "business"]),
});
export type UserRecord = z.infer<typeof userRecord>;

const mayBeLogged = ["first_name", "last_name", "city", "state"];

/** Fields that must not be logged, by wire and code name. A field added to the user intent is included by default. */
export const personalFieldNames = Object.keys(userIntentFields)
  .filter((name) => !mayBeLogged.includes(name))
  .flatMap((name) => [name, name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())]);
