import * as z from "zod/mini";
import { words } from "#words";
import { limits } from "../../contract/limits.ts";
import { userIntentFields } from "../../contract/people.ts";
import { phoneInE164 } from "../../kit/us-phone.ts";
import { answerField, outOfDate, returnToField, textProblem } from "../requests/form-fields.ts";
import { passwordCharactersMax, passwordCharactersMin } from "./password-length.ts";

const say = () => words("person.problems");

/** First and last name, for sign-up and onboarding. */
export const nameFields = {
  first_name: answerField(userIntentFields.first_name, {
    missing: () => say()("noFirstName"),
    wrong: textProblem(() => say()("yourFirstName"), limits.nameCharactersMax),
  }),
  last_name: answerField(userIntentFields.last_name, {
    missing: () => say()("noLastName"),
    wrong: textProblem(() => say()("yourLastName"), limits.nameCharactersMax),
  }),
};

/** An email address in lower case, as it is stored. */
const emailField = answerField(userIntentFields.email, {
  missing: () => say()("noEmail"),
  normalize: (typed) => typed.toLowerCase(),
  wrong: (typed) =>
    typed.length > limits.emailCharactersMax
      ? say()("long", { what: say()("yourEmail"), max: String(limits.emailCharactersMax) })
      : say()("email"),
});

/** A US phone number in any common format; the output is E.164. */
export const phoneField = answerField(userIntentFields.phone, {
  missing: () => say()("noPhone"),
  normalize: phoneInE164,
  wrong: problemOfPhone,
});

const noPassword = { error: () => say()("noPassword") };

export const signInFields = z.object({
  email: emailField,
  password: z.string(noPassword).check(z.minLength(1, noPassword)),
  return_to: returnToField,
});

export const demoSignInFields = z.object({ email: z.string(), return_to: returnToField });

/** A code's digits, from any pasted format; `step` is the step that the form showed. */
export const codeFields = z.object({
  step: z._default(z.enum(["email", "phone"], { error: outOfDate }), "phone"),
  code: z.pipe(
    z._default(z.string(), ""),
    z.transform((typed: string) => typed.replaceAll(/\D/g, "")),
  ),
});

const choosePassword = { error: () => say()("choosePassword", { min: String(passwordCharactersMin) }) };

export const registrationFields = z.object({
  ...nameFields,
  email: emailField,
  phone: phoneField,
  password: z.string(choosePassword).check(
    z.minLength(passwordCharactersMin, choosePassword),
    z.maxLength(passwordCharactersMax, {
      error: () => say()("long", { what: say()("yourPassword"), max: String(passwordCharactersMax) }),
    }),
  ),
});
export type Registration = z.output<typeof registrationFields>;

export const emailChangeFields = z.object({ email: emailField });
export const phoneChangeFields = z.object({ phone: phoneField });

function problemOfPhone(typed: string): string {
  const t = say();
  const digits = typed.replaceAll(/\D/g, "");
  if (/[a-z]/i.test(typed)) return t("phoneLetters");
  if (/^\+1[01]/.test(typed)) return t("phoneAreaCode");
  if (typed.startsWith("+")) return t("phoneAbroad");
  return t(digits.length === 7 ? "phoneNoAreaCode" : "phone");
}
