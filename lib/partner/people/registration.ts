import * as z from "zod/mini";
import { keptEmailField, nameFields, phoneField } from "./contact-fields.ts";
import { passwordCharactersMax, passwordCharactersMin } from "./password-length.ts";

const choosePassword = `Choose a password of at least ${passwordCharactersMin} characters.`;

/** What somebody fills in to sign up. Names, email and phone as the service will ask for them, the phone in any usual way of writing. */
export const registrationFields = z.object({
  ...nameFields,
  email: keptEmailField,
  phone: phoneField,
  password: z
    .string(choosePassword)
    .check(
      z.minLength(passwordCharactersMin, choosePassword),
      z.maxLength(passwordCharactersMax, `Your password can have at most ${passwordCharactersMax} characters.`),
    ),
});
export type Registration = z.output<typeof registrationFields>;

/** Another phone for a sign-up that waits for its code. */
export const phoneChangeFields = z.object({ phone: phoneField });
