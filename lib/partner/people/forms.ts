import { redirect } from "next/navigation";
import { ownPath } from "../authorization/return-path.ts";
import { readClientAddress, requirePartnerListener } from "../sessions/require-partner-listener.ts";
import { type OpenedChallenge, resendCode, shortCodeDigits } from "./challenge.ts";
import {
  forgetPendingSignIn,
  type PendingSignIn,
  readPendingSignIn,
  rememberPendingSignIn,
} from "./challenge-cookie.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { type FormState, problemAt, problemsOf, tooManyAttempts } from "./form-state.ts";
import { readAsker, rememberDevice } from "./known-devices-cookie.ts";
import { longCodeDigits } from "./long-code.ts";
import { provePhone, sendPhoneProof } from "./prove-phone.ts";
import { registrationFields } from "./registration.ts";
import { startDemoSignIn } from "./seed.ts";
import { closeSession, openSession, type Person } from "./session.ts";
import { signInFields } from "./sign-in-fields.ts";
import { startSignIn } from "./start-sign-in.ts";
import { startSignUp } from "./start-sign-up.ts";

const isCode = new RegExp(`^(?:\\d{${shortCodeDigits}}|\\d{${longCodeDigits}})$`);
const longCodeNews =
  "This phone has had many codes. The one in our newest text, of ten digits, is good for some hours: enter that one.";

/** The form at `/sign-in`: on to the code, or what to look at. */
export async function submitSignIn(form: FormData): Promise<FormState> {
  await requirePartnerListener();
  const parsed = signInFields.safeParse(Object.fromEntries(form));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  const started = await startSignIn(parsed.data, await readAsker());
  if (started.kind === "too_many_attempts") return tooManyAttempts("email", started);
  if (started.kind === "refused") return problemAt("email", "This address and password do not fit together.");
  if (started.kind === "phone_first") {
    const { key, email } = started;
    return askForCode({ key, phone: "", codeDigits: longCodeDigits, phoneFirst: email }, form);
  }
  return askForCode(started, form);
}

/** One of the sandbox's people, picked with one click: their password counts as entered, their code does not. */
export async function submitDemoSignIn(form: FormData): Promise<FormState> {
  await requirePartnerListener();
  const started = await startDemoSignIn(String(form.get("email")));
  if (!started) return problemAt("email", "There is no such demo person.");
  return askForCode(started, form);
}

/** The form at `/sign-up`: on to the code, whether or not the address has an account already. */
export async function submitSignUp(form: FormData): Promise<FormState> {
  await requirePartnerListener();
  const parsed = registrationFields.safeParse(Object.fromEntries(form));
  if (!parsed.success) return { problems: problemsOf(parsed.error) };
  const started = await startSignUp(parsed.data, { clientAddress: await readClientAddress() });
  if (started.kind === "too_many_attempts") return tooManyAttempts("phone", started);
  return askForCode({ ...started, phone: parsed.data.phone }, form);
}

/** The form at `/sign-in/code`: signed in and on the way, or how many tries are left. */
export async function submitCode(form: FormData): Promise<FormState> {
  await requirePartnerListener();
  const pending = await readPendingSignIn();
  if (!pending) redirect("/sign-in");
  const code = String(form.get("code")).replaceAll(/\s/g, "");
  if (!isCode.test(code)) return problemAt("code", `Enter the ${digitsOf(pending)} digits of the text.`);
  if (pending.phoneFirst !== undefined) return submitPhoneProof(pending, pending.phoneFirst, code);

  const completed = await completeSignIn(pending.key, code, await readAsker());
  switch (completed.kind) {
    case "too_many_attempts":
      return tooManyAttempts("code", completed);
    case "ended":
      return problemAt("code", "This code has ended. Ask for a new one.");
    case "wrong_code":
      return problemAt("code", wrongCodeMessage(completed.triesLeft));
    case "wrong_long_code":
      return problemAt("code", "That is not the code in our newest text.");
    case "long_code_needed":
      await rememberPendingSignIn({ ...pending, codeDigits: longCodeDigits });
      return problemAt(
        "code",
        "Too many wrong codes were typed for this phone today. Enter the longer code, of ten digits, that we have texted to it.",
      );
    case "signed_in":
      await openSession(completed.person);
      await rememberDevice(completed.person.phone);
      await forgetPendingSignIn();
      return redirect(pending.returnTo || homeOf(completed.person));
  }
}

// The phone is proven and this device known from now on; the password comes next, as for any known device.
async function submitPhoneProof(pending: PendingSignIn, email: string, code: string): Promise<FormState> {
  const outcome = await provePhone(email, code, await readAsker());
  if (outcome.kind === "too_many_attempts") return tooManyAttempts("code", outcome);
  if (outcome.kind === "wrong_code") return problemAt("code", "That is not the code in our newest text.");
  await rememberDevice(outcome.phone);
  await forgetPendingSignIn();
  return redirect(`/sign-in?${new URLSearchParams({ phone: "proven", return_to: pending.returnTo })}`);
}

/** The button "Resend code". The answer is a sentence for the person to read. */
export async function submitResend(): Promise<string> {
  await requirePartnerListener();
  const pending = await readPendingSignIn();
  if (!pending) redirect("/sign-in");
  if (pending.phoneFirst !== undefined) {
    await sendPhoneProof(pending.phoneFirst, pending.key);
    return longCodeNews;
  }
  const outcome = await resendCode(pending.key);
  if (outcome === "ended") redirect("/sign-in");
  if (outcome === "too_soon") return "A code was sent a moment ago. Please wait 30 seconds.";
  await rememberPendingSignIn({ ...pending, codeDigits: outcome === "sent" ? shortCodeDigits : longCodeDigits });
  return outcome === "sent" ? "A new code is on its way." : longCodeNews;
}

/** The button "Sign out". */
export async function submitSignOut(): Promise<void> {
  await requirePartnerListener();
  await closeSession();
  redirect("/");
}

type AskedFor = OpenedChallenge & { phone: string; phoneFirst?: string };

async function askForCode({ phone, ...asked }: AskedFor, form: FormData): Promise<never> {
  const { key, codeDigits, phoneFirst } = asked;
  const returnTo = ownPath(String(form.get("return_to") ?? ""), "");
  const pending = { key, phoneEnding: phone.slice(-2), codeDigits, returnTo };
  await rememberPendingSignIn({ ...pending, ...(phoneFirst !== undefined && { phoneFirst }) });
  redirect("/sign-in/code");
}

function wrongCodeMessage(triesLeft: number): string {
  if (triesLeft === 0) return "That is not the code, and it was the last try. Ask for a new one.";
  return `That is not the code. ${triesLeft === 1 ? "One try is" : `${triesLeft} tries are`} left.`;
}

function digitsOf({ codeDigits }: PendingSignIn): string {
  return codeDigits === longCodeDigits ? "ten" : "six";
}

// `/onboarding` knows how far a seller is and leads on from there.
function homeOf({ role }: Person): string {
  return role === "operator" ? "/business" : "/onboarding";
}
