import type * as z from "zod/mini";
import { words } from "#words";
import type { Partner } from "../partner.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { tooManyAttempts } from "./attempt-limits.ts";
import type { OpenedChallenge } from "./challenge.ts";
import { type PendingSignIn, readPendingSignIn, rememberPendingSignIn } from "./challenge-cookie.ts";
import { readAttemptSource } from "./known-devices-cookie.ts";
import { longCodeDigits } from "./long-code.ts";
import type { Recipient } from "./messages.ts";
import { closeSession } from "./session.ts";
import type { Registration, signInFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { changeSignUp, startSignUp } from "./start-sign-up.ts";

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
      return problemAt("form", words("signIn.problems")("noMatch"), { title: words("signIn.problems")("title") });
    case "phone_first": {
      const { key, email } = started;
      return promptForCode(partner, { key, phone: "", codeDigits: longCodeDigits, phoneFirst: email }, return_to);
    }
    case "challenged":
      return promptForCode(partner, started, return_to);
  }
}

/** The form at `/sign-up`; the answer is the same for a taken email address. */
export async function submitSignUp(
  partner: Partner,
  registration: Registration,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const started = await startSignUp(partner, registration, { clientAddress });
  if (started.kind === "too_many_attempts") return tooManyAttempts("form", started);
  return promptForCode(partner, { ...started, phone: registration.phone, email: registration.email }, "");
}

/** The sign-up forms "Change address" and "Change number" at `/sign-in/code`. */
export async function submitSignUpChange(
  partner: Partner,
  change: Recipient,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const pending = await readPendingSignIn(partner);
  if (pending?.email === undefined) return { redirectTo: "/sign-up" };
  const changed = await changeSignUp(partner, pending.key, change, { clientAddress });
  if (changed.kind === "too_many_attempts") return tooManyAttempts("email" in change ? "email" : "phone", changed);
  if (changed.kind === "ended") return { redirectTo: "/sign-up" };
  const shown = "email" in change ? change : { phoneEnding: endingOf(change.phone) };
  return goToCodePage(partner, { ...pending, ...changed, ...shown });
}

/** The button "Sign out". */
export async function submitSignOut(partner: Partner): Promise<ActionResult> {
  await closeSession(partner);
  return { redirectTo: "/" };
}

type CodePrompt = OpenedChallenge & { phone: string; phoneFirst?: string; email?: string };

/** Remembers the challenge in this browser and redirects to the code page. */
export async function promptForCode(partner: Partner, prompt: CodePrompt, returnTo: string): Promise<ActionResult> {
  const { phone, ...rest } = prompt;
  return goToCodePage(partner, { ...rest, phoneEnding: endingOf(phone), returnTo });
}

async function goToCodePage(
  partner: Partner,
  { key, phoneEnding, codeDigits, returnTo, phoneFirst, email }: PendingSignIn,
): Promise<ActionResult> {
  const prompt = { ...(phoneFirst !== undefined && { phoneFirst }), ...(email !== undefined && { email }) };
  await rememberPendingSignIn(partner, { key, phoneEnding, codeDigits, returnTo, ...prompt });
  return { redirectTo: "/sign-in/code" };
}

function endingOf(phone: string): string {
  return phone.slice(-2);
}
