import type * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { forgetPendingSignIn } from "../people/challenge-cookie.ts";
import { readAttemptSource, rememberDevice } from "../people/known-devices-cookie.ts";
import { homePathOf, openSession, type Person } from "../people/session.ts";
import type { demoSignInFields } from "../people/sign-in-fields.ts";
import { promptForCode } from "../people/submit-sign-in.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import { signInDirectly } from "./connect-demo-people.ts";
import { startDemoSignIn } from "./seed.ts";
import { listSwitchablePeople, rememberSwitchablePerson } from "./switchable-people.ts";

/** Switches this browser to another person with a real sign-in, which ends the current session. */
export async function submitSwitchPerson(
  partner: Partner,
  { email, return_to }: z.output<typeof demoSignInFields>,
  current: Person | undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const offered = (await listSwitchablePeople(partner)).some((person) => person.email === email);
  const person = offered ? await findPersonWithPassword(partner.db, email) : undefined;
  if (!person) return problemAt("form", "This browser can't switch to that person.");
  const present = await signInDirectly(partner, person, await readAttemptSource(partner, clientAddress));
  if (!present) return problemAt("form", `${person.firstName} couldn't be signed in. Please use the sign-in page.`);
  if (current) await rememberSwitchablePerson(partner, current);
  await openSession(partner, present);
  await rememberDevice(partner, present.phone);
  await forgetPendingSignIn(partner);
  return { redirectTo: return_to || homePathOf(present) };
}

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
