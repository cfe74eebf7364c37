import { redirect } from "next/navigation";
import { ownPath } from "../authorization/return-path.ts";
import { type ChallengeKey, resendCode } from "./challenge.ts";
import { forgetPendingSignIn, readPendingSignIn, rememberPendingSignIn } from "./challenge-cookie.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { type FormState, problemAt, problemsOf, tooManyAttempts } from "./form-state.ts";
import { registrationFields } from "./registration.ts";
import { readClientAddress, requirePartnerDoor } from "./require-partner-door.ts";
import { startDemoSignIn } from "./seed.ts";
import { closeSession, openSession, type Person } from "./session.ts";
import { signInFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { startSignUp } from "./start-sign-up.ts";

/** The form at `/sign-in`: on to the code, or what to look at. */
export async function submitSignIn(form: FormData): Promise<FormState> {
  await requirePartnerDoor();
  const parsed = signInFields.safeParse(Object.fromEntries(form));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  const started = await startSignIn(parsed.data, { clientAddress: await readClientAddress() });
  if (started.kind === "too_many_attempts") return tooManyAttempts("email", started);
  if (started.kind === "refused") return problemAt("email", "This address and password do not fit together.");
  return askForCode(started, form);
}

/** One of the sandbox's people, picked with one click: their password counts as entered, their code does not. */
export async function submitDemoSignIn(form: FormData): Promise<FormState> {
  await requirePartnerDoor();
  const started = await startDemoSignIn(String(form.get("email")));
  if (!started) return problemAt("email", "There is no such demo person.");
  return askForCode(started, form);
}

/** The form at `/sign-up`: on to the code, whether or not the address has an account already. */
export async function submitSignUp(form: FormData): Promise<FormState> {
  await requirePartnerDoor();
  const parsed = registrationFields.safeParse(Object.fromEntries(form));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  const started = await startSignUp(parsed.data, { clientAddress: await readClientAddress() });
  if (started.kind === "too_many_attempts") return tooManyAttempts("phone", started);
  return askForCode({ ...started, phone: parsed.data.phone }, form);
}

/** The form at `/sign-in/code`: signed in and on the way, or how many tries are left. */
export async function submitCode(form: FormData): Promise<FormState> {
  await requirePartnerDoor();
  const pending = await readPendingSignIn();
  if (!pending) redirect("/sign-in");
  const code = String(form.get("code")).replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(code)) return problemAt("code", "Enter the six digits of the text.");

  const completed = await completeSignIn(pending.key, code);
  switch (completed.kind) {
    case "too_many_attempts":
      return tooManyAttempts("code", completed);
    case "ended":
      return problemAt("code", "This code has ended. Ask for a new one.");
    case "wrong_code":
      return problemAt("code", wrongCodeMessage(completed.triesLeft));
    case "signed_in":
      await openSession(completed.person);
      await forgetPendingSignIn();
      return redirect(pending.returnTo || homeOf(completed.person));
  }
}

/** The button "Resend code". The answer is a sentence for the person to read. */
export async function submitResend(): Promise<string> {
  await requirePartnerDoor();
  const pending = await readPendingSignIn();
  if (!pending) redirect("/sign-in");
  const outcome = await resendCode(pending.key);
  if (outcome === "ended") redirect("/sign-in");
  if (outcome === "too_often") return "We have sent many codes to this phone. Please try again in an hour.";
  return outcome === "sent" ? "A new code is on its way." : "A code was sent a moment ago. Please wait 30 seconds.";
}

/** The button "Sign out". */
export async function submitSignOut(): Promise<void> {
  await requirePartnerDoor();
  await closeSession();
  redirect("/");
}

async function askForCode({ key, phone }: { key: ChallengeKey; phone: string }, form: FormData): Promise<never> {
  const returnTo = ownPath(String(form.get("return_to") ?? ""), "");
  await rememberPendingSignIn({ key, phoneEnding: phone.slice(-2), returnTo });
  redirect("/sign-in/code");
}

function wrongCodeMessage(triesLeft: number): string {
  if (triesLeft === 0) return "That is not the code, and it was the last try. Ask for a new one.";
  return `That is not the code. ${triesLeft === 1 ? "One try is" : `${triesLeft} tries are`} left.`;
}

// `/onboarding` knows how far a seller is and leads on from there.
function homeOf({ role }: Person): string {
  return role === "operator" ? "/business" : "/onboarding";
}
