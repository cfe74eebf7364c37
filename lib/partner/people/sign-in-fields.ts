import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { userIntentFields } from "../../contract/people.ts";
import { phoneInE164 } from "../../kit/us-phone.ts";
import { type AnswerMessages, answerField, returnToField, textProblem } from "../requests/form-fields.ts";
import { passwordCharactersMax, passwordCharactersMin } from "./password-length.ts";

/** First and last name, for sign-up and onboarding. */
export const nameFields = {
  first_name: answerField(userIntentFields.first_name, {
    missing: "Enter your first name.",
    wrong: textProblem("Your first name", limits.nameCharactersMax),
  }),
  last_name: answerField(userIntentFields.last_name, {
    missing: "Enter your last name.",
    wrong: textProblem("Your last name", limits.nameCharactersMax),
  }),
};

const emailWords: AnswerMessages = {
  missing: "Enter your email address.",
  wrong: (typed) =>
    typed.length > limits.emailCharactersMax
      ? `Your email address can have at most ${limits.emailCharactersMax} characters.`
      : "Enter your email address in full, like name@example.com.",
};

export const emailField = answerField(userIntentFields.email, emailWords);

/** An email address in lower case, as it is stored. */
export const normalizedEmailField = answerField(userIntentFields.email, {
  ...emailWords,
  normalize: (typed) => typed.toLowerCase(),
});

/** A US phone in any usual format; the output is E.164. */
export const phoneField = answerField(userIntentFields.phone, {
  missing: "Enter your mobile phone number.",
  normalize: phoneInE164,
  wrong: problemOfPhone,
});

export const signInFields = z.object({
  email: emailField,
  password: z.string("Enter your password.").check(z.minLength(1, "Enter your password.")),
  return_to: returnToField,
});

export const demoSignInFields = z.object({ email: z.string(), return_to: returnToField });

/** The digits of a code, in whatever format it was pasted. */
export const codeFields = z.object({
  code: z.pipe(
    z._default(z.string(), ""),
    z.transform((typed: string) => typed.replaceAll(/\D/g, "")),
  ),
});

const choosePassword = `Choose a password of at least ${passwordCharactersMin} characters.`;

export const registrationFields = z.object({
  ...nameFields,
  email: normalizedEmailField,
  phone: phoneField,
  password: z
    .string(choosePassword)
    .check(
      z.minLength(passwordCharactersMin, choosePassword),
      z.maxLength(passwordCharactersMax, `Your password can have at most ${passwordCharactersMax} characters.`),
    ),
});
export type Registration = z.output<typeof registrationFields>;

export const phoneChangeFields = z.object({ phone: phoneField });

function problemOfPhone(typed: string): string {
  const digits = typed.replaceAll(/\D/g, "");
  if (/[a-z]/i.test(typed)) return "Enter your mobile phone number in digits only, like (415) 555-0123.";
  if (/^\+1[01]/.test(typed))
    return "Check the area code of your mobile phone number. In the US none begins with 0 or 1.";
  if (typed.startsWith("+")) return "Enter a US mobile phone number. We can send texts to US numbers only.";
  if (digits.length === 7) return "Enter your mobile phone number with its area code, like (415) 555-0123.";
  return "Enter your mobile phone number with all ten digits, like (415) 555-0123.";
}
