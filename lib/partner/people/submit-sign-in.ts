import type * as z from "zod/mini";
import type { Partner } from "../partner.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { tooManyAttempts } from "./attempt-limits.ts";
import type { OpenedChallenge } from "./challenge.ts";
import { readPendingSignIn, rememberPendingSignIn } from "./challenge-cookie.ts";
import { readAttemptSource } from "./known-devices-cookie.ts";
import { longCodeDigits } from "./long-code.ts";
import { closeSession } from "./session.ts";
import type { phoneChangeFields, Registration, signInFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { changeSignUpPhone, startSignUp } from "./start-sign-up.ts";

/** The form at `/sign-in`. */
export async function submitSignIn(
  partner: Partner,
  { return_to, ...entered }: z.output<typeof signInFields>,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const started = await startSignIn(partner, entered, await readAttemptSource(partner, clientAddress));
  switch (started.kind) {
    case "too_many_attempts":
      return tooManyAttempts("form", started);
    case "refused":
      return problemAt("form", "This email address and password don't match. Check both and try again.", {
        title: "We couldn't sign you in",
      });
    case "phone_first": {
      const { key, email } = started;
      return askForCode(partner, { key, phone: "", codeDigits: longCodeDigits, phoneFirst: email }, return_to);
    }
    case "challenged":
      return askForCode(partner, started, return_to);
  }
}

/** The form at `/sign-up`, with the same answer for a taken email address. */
export async function submitSignUp(
  partner: Partner,
  registration: Registration,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const started = await startSignUp(partner, registration, { clientAddress });
  if (started.kind === "too_many_attempts") return tooManyAttempts("form", started);
  return askForCode(partner, { ...started, phone: registration.phone, isSignUp: true }, "");
}

/** The form "Change number" of a sign-up at `/sign-in/code`. */
export async function submitPhoneChange(
  partner: Partner,
  { phone }: z.output<typeof phoneChangeFields>,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const pending = await readPendingSignIn(partner);
  if (!pending?.isSignUp) return { redirectTo: "/sign-up" };
  const moved = await changeSignUpPhone(partner, pending.key, phone, { clientAddress });
  if (moved.kind === "too_many_attempts") return tooManyAttempts("phone", moved);
  if (moved.kind === "ended") return { redirectTo: "/sign-up" };
  return askForCode(partner, { ...moved, phone, isSignUp: true }, pending.returnTo);
}

/** The button "Sign out". */
export async function submitSignOut(partner: Partner): Promise<ActionResult> {
  await closeSession(partner);
  return { redirectTo: "/" };
}

type AskedFor = OpenedChallenge & { phone: string; phoneFirst?: string; isSignUp?: boolean };

/** Remembers the challenge in this browser and redirects to the page for its code. */
export async function askForCode(partner: Partner, asked: AskedFor, returnTo: string): Promise<ActionResult> {
  const { key, codeDigits, phone, phoneFirst, isSignUp = false } = asked;
  const pending = { key, phoneEnding: phone.slice(-2), codeDigits, returnTo, isSignUp };
  await rememberPendingSignIn(partner, { ...pending, ...(phoneFirst !== undefined && { phoneFirst }) });
  return { redirectTo: "/sign-in/code" };
}
