import { redirect } from "next/navigation";
import type * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { forgetPendingSignIn } from "../people/challenge-cookie.ts";
import { readAsker, rememberDevice } from "../people/known-devices-cookie.ts";
import { homeOf, openSession, type Person } from "../people/session.ts";
import type { demoSignInFields } from "../people/sign-in-fields.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import { passFactors } from "./pass-factors.ts";
import { listPeopleHere, rememberPersonHere } from "./people-here.ts";

/** Makes this browser somebody else's: their sign-in is a real one, and the session of whoever was here ends. */
export async function submitBecome(
  partner: Partner,
  { email, return_to }: z.output<typeof demoSignInFields>,
  current: Person | undefined,
): Promise<FormState> {
  const offered = (await listPeopleHere(partner)).some((person) => person.email === email);
  const person = offered ? await findPersonWithPassword(partner.db, email) : undefined;
  if (!person) return problemAt("form", "This browser cannot become that person.");
  const present = await passFactors(partner, person, await readAsker(partner));
  if (!present) return problemAt("form", `${person.firstName} could not be signed in. Please use the sign-in page.`);
  if (current) await rememberPersonHere(partner, current);
  await openSession(partner, present);
  await rememberDevice(partner, present.phone);
  await forgetPendingSignIn(partner);
  redirect(return_to || homeOf(present));
}
