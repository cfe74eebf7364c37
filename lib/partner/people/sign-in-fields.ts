import * as z from "zod/mini";
import { returnToField } from "../requests/own-path.ts";
import { emailField } from "./contact-fields.ts";

/** What somebody fills in to sign in; the address by the contract's rule, as it was when they signed up. */
export const signInFields = z.object({
  email: emailField,
  password: z.string("Enter your password.").check(z.minLength(1, "Enter your password.")),
  return_to: returnToField,
});

/** Which of the sandbox's people somebody picked. */
export const demoSignInFields = z.object({ email: z.string(), return_to: returnToField });

/** The digits of a code, however it was copied. */
export const codeFields = z.object({
  code: z.pipe(
    z._default(z.string(), ""),
    z.transform((typed: string) => typed.replaceAll(/\D/g, "")),
  ),
});
