import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { uuid, wireFacts } from "./text.ts";

/** Exactly one of user_id and user_intent_id. */
export const identityVerificationRequest = z
  .strictObject({
    provider: z.string().check(z.minLength(1), z.maxLength(limits.providerCharactersMax)),
    provider_data: z.strictObject({
      // A path segment of the customer endpoint, so the two that a URL parser would remove are refused (Decision D11).
      customer_id: z.string().check(
        z.minLength(1),
        z.maxLength(limits.customerIdCharactersMax),
        z.refine((value) => value !== "." && value !== ".." && value.isWellFormed(), "Must be a plain identifier."),
      ),
    }),
    user_id: z.optional(uuid),
    user_intent_id: z.optional(uuid),
  })
  .check(
    z.refine((body) => (body.user_id === undefined) !== (body.user_intent_id === undefined), {
      message: "Send either user_id or user_intent_id, not both.",
      path: ["user_id"],
    }),
  );
wireFacts.add(identityVerificationRequest, {
  oneOf: [{ required: ["user_id"] }, { required: ["user_intent_id"] }],
});
export type IdentityVerificationRequest = z.infer<typeof identityVerificationRequest>;

/** `expires_at` and `trusted` are not published (Decision D11), so a partner must not require them. */
export const identityVerificationToken = z.object({
  token: z.string(),
  expires_at: z.optional(z.string()),
  trusted: z.optional(z.boolean()),
});
export type IdentityVerificationToken = z.infer<typeof identityVerificationToken>;

const storableTime = z.iso.datetime({ offset: true }).check(
  z.refine((value) => /(?:Z|\+00:00)$/.test(value), "Must be in UTC."),
  // PostgreSQL has no year 0000.
  z.refine((value) => !value.startsWith("0000"), "Must be in year 0001 or later."),
);
wireFacts.add(storableTime, { type: "string", format: "date-time" });

/** The partner's answer to `GET /v1/customers/{customer_id}`. */
export const customerRecord = z.object({
  customer_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  lastAuthenticationTime: storableTime,
});
export type CustomerRecord = z.infer<typeof customerRecord>;

/**
 * The phone format of customer and user records is not published, so punctuation and the US country code are ignored.
 * Decisions D6 and D11
 */
export function isSamePhone(left: string, right: string): boolean {
  const [leftNumber, rightNumber] = [nationalNumber(left), nationalNumber(right)];
  return leftNumber.length === 10 && leftNumber === rightNumber;
}

function nationalNumber(phone: string): string {
  return phone.replaceAll(/\D/g, "").replace(/^(?:00|011)?1(?=\d{10}$)/, "");
}
