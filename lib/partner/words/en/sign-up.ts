import { brandName } from "../../../../brand/name.ts";

export const signUp = {
  title: `Sell on ${brandName}`,
  pageTitle: "Sign up",
  lead: "Creating an account takes one minute. Setting up payments takes two more.",
  phoneHint: "A US number, like (415) 555-0123. We'll text you a code each time you sign in.",
  passwordHint: "At least {min} characters. A short sentence is easy to remember.",
  submit: "Continue",
  signIn: "Already have an account? <link>Sign in</link>",
} as const;
