import type * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, type FormState, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { tooManyAttempts } from "./attempt-limits.ts";
import { resendCode, shortCodeDigits } from "./challenge.ts";
import {
  forgetPendingSignIn,
  type PendingSignIn,
  readPendingSignIn,
  rememberPendingSignIn,
} from "./challenge-cookie.ts";
import { completeSignIn, provePhone, sendPhoneProof } from "./complete-sign-in.ts";
import type { AttemptSource } from "./known-devices.ts";
import { readAttemptSource, rememberDevice } from "./known-devices-cookie.ts";
import { longCodeDigits } from "./long-code.ts";
import { homePathOf, openSession } from "./session.ts";
import type { codeFields } from "./sign-in-fields.ts";

const isCode = new RegExp(`^(?:\\d{${shortCodeDigits}}|\\d{${longCodeDigits}})$`);
const longCodeNotice =
  "This phone has received many codes. Enter the ten-digit code from our latest text. It works for several hours.";

/** The form at `/sign-in/code`. */
export async function submitCode(
  partner: Partner,
  { code }: z.output<typeof codeFields>,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const pending = await readPendingSignIn(partner);
  if (!pending) return { redirectTo: "/sign-in" };
  if (!isCode.test(code)) return problemAt("code", `Enter the ${digitsOf(pending)} digits from the text.`);
  const source = await readAttemptSource(partner, clientAddress);
  if (pending.phoneFirst !== undefined)
    return submitPhoneProof(partner, pending, { email: pending.phoneFirst, code, source });

  const completed = await completeSignIn(partner, pending.key, code, source);
  switch (completed.kind) {
    case "too_many_attempts":
      return tooManyAttempts("code", completed);
    case "ended":
      return problemAt("code", "This code has expired. Request a new one.");
    case "wrong_code":
      return problemAt("code", wrongCodeMessage(completed.triesLeft));
    case "wrong_long_code":
      return problemAt("code", "That isn't the code from our latest text.");
    case "long_code_needed":
      await rememberPendingSignIn(partner, { ...pending, codeDigits: longCodeDigits });
      return problemAt(
        "code",
        "Too many wrong codes were entered for this phone today. Enter the ten-digit code that we texted to it.",
      );
    case "signed_in":
      await openSession(partner, completed.person);
      await rememberDevice(partner, completed.person.phone);
      await forgetPendingSignIn(partner);
      return { redirectTo: pending.returnTo || homePathOf(completed.person) };
  }
}

// The device is known from now on; the password comes next.
async function submitPhoneProof(
  partner: Partner,
  pending: PendingSignIn,
  { email, code, source }: { email: string; code: string; source: AttemptSource },
): Promise<ActionResult> {
  const outcome = await provePhone(partner, email, code, source);
  if (outcome.kind === "too_many_attempts") return tooManyAttempts("code", outcome);
  if (outcome.kind === "wrong_code") return problemAt("code", "That isn't the code from our latest text.");
  await rememberDevice(partner, outcome.phone);
  await forgetPendingSignIn(partner);
  return { redirectTo: `/sign-in?${new URLSearchParams({ phone: "proven", return_to: pending.returnTo })}` };
}

/** The button "Resend code". */
export async function submitResend(partner: Partner): Promise<ActionResult> {
  const pending = await readPendingSignIn(partner);
  if (!pending) return { redirectTo: "/sign-in" };
  if (pending.phoneFirst !== undefined) {
    await sendPhoneProof(partner, pending.phoneFirst, pending.key);
    return withNotice(longCodeNotice);
  }
  const outcome = await resendCode(partner, pending.key);
  if (outcome === "ended") return { redirectTo: "/sign-in" };
  if (outcome === "too_soon")
    return withNotice(`A code was sent a moment ago. Please wait ${limits.verificationCodeResendSeconds} seconds.`);
  await rememberPendingSignIn(partner, {
    ...pending,
    codeDigits: outcome === "sent" ? shortCodeDigits : longCodeDigits,
  });
  return withNotice(outcome === "sent" ? "A new code is on its way." : longCodeNotice);
}

function withNotice(notice: string): FormState {
  return { problems: [], notice };
}

function wrongCodeMessage(triesLeft: number): string {
  if (triesLeft === 0) return "That isn't the code, and that was your last try. Request a new one.";
  return `That isn't the code. You have ${triesLeft === 1 ? "1 try" : `${triesLeft} tries`} left.`;
}

function digitsOf({ codeDigits }: PendingSignIn): string {
  return codeDigits === longCodeDigits ? "ten" : "six";
}
