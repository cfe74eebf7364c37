import * as z from "zod/mini";
import { userIntentFields } from "../../contract/user-intent.ts";

// NIST SP 800-63B asks for at least 8 with a second factor and warns of rules about kinds of characters. argon2 reads any
// length; the maximum only keeps a form from being a load.
const passwordCharactersMin = 12;
const passwordCharactersMax = 200;

/** What somebody fills in to sign up. Names, e-mail and phone as the service will ask for them, the phone in any usual way of writing. */
export const registrationFields = z.object({
  first_name: userIntentFields.first_name,
  last_name: userIntentFields.last_name,
  email: z.pipe(z.string().check(z.trim()), userIntentFields.email.check(z.toLowerCase())),
  phone: z.pipe(z.pipe(z.string(), z.transform(phoneInE164)), userIntentFields.phone),
  password: z
    .string()
    .check(
      z.minLength(passwordCharactersMin, "Use at least 12 characters. A short sentence is easy to keep in mind."),
      z.maxLength(passwordCharactersMax, "Use at most 200 characters."),
    ),
});
export type Registration = z.output<typeof registrationFields>;

/** A US number as people write it, `(202) 555-0123` or `1 202 555 0123`, in E.164. Anything else comes back as it was. */
export function phoneInE164(typed: string): string {
  const digits = typed.replaceAll(/[\s().-]/g, "").replace(/^\+/, "");
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  return /^1\d{10}$/.test(digits) ? `+${digits}` : typed;
}
