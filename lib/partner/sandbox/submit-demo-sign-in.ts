import type * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import type { demoSignInFields } from "../people/sign-in-fields.ts";
import { promptForCode } from "../people/submit-sign-in.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import { startDemoSignIn } from "./seed.ts";

/** Signs in a demo person with one click and a code. */
export async function submitDemoSignIn(
  partner: Partner,
  { email, return_to }: z.output<typeof demoSignInFields>,
): Promise<ActionResult> {
  const started = await startDemoSignIn(partner, email);
  return started
    ? promptForCode(partner, started, return_to)
    : problemAt("form", "There is no such demo person.", { title: "We couldn't sign you in" });
}
