import * as z from "zod/mini";
import { userIntentFields } from "../../contract/user-intent.ts";

/** What somebody fills in to sign in; the address by the contract's rule, as it was when they signed up. */
export const signInFields = z.object({
  email: z.pipe(z.string().check(z.trim(), z.minLength(1, "Enter your e-mail address.")), userIntentFields.email),
  password: z.string().check(z.minLength(1, "Enter your password.")),
});
