import type * as z from "zod/mini";
import { words } from "#words";
import { limits } from "../../contract/limits.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, type FormState, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { tooManyAttempts } from "./attempt-limits.ts";
import { type ChallengeStep, readChallenge, resendCode, shortCodeDigits } from "./challenge.ts";
import {
  forgetPendingSignIn,
  type PendingSignIn,
  readPendingSignIn,
  rememberPendingSignIn,
  signInAgainAddress,
} from "./challenge-cookie.ts";
import { completeSignIn, provePhone, sendPhoneProof } from "./complete-sign-in.ts";
import type { AttemptSource } from "./known-devices.ts";
import { readAttemptSource, rememberDevice } from "./known-devices-cookie.ts";
import { longCodeDigits } from "./long-code.ts";
import { openSession, pathAfterSignIn } from "./session.ts";
import type { codeFields } from "./sign-in-fields.ts";

const isCode = new RegExp(`^(?:\\d{${shortCodeDigits}}|\\d{${longCodeDigits}})$`);

/** The form at `/sign-in/code`. */
export async function submitCode(
  partner: Partner,
  { code, step }: z.output<typeof codeFields>,
  _visitor: undefined,
  { clientAddress }: Browser,
): Promise<ActionResult> {
  const pending = await readPendingSignIn(partner);
  if (!pending) return { redirectTo: signInAgainAddress(pending) };
  const t = words("code.problems");
  if (!isCode.test(code)) {
    const promptKey = step === "email" ? "enterFromEmail" : "enterFromText";
    return problemAt("code", t(promptKey, { digits: pending.codeDigits === longCodeDigits ? "ten" : "six" }));
  }
  const source = await readAttemptSource(partner, clientAddress);
  if (pending.phoneFirst !== undefined)
    return submitPhoneProof(partner, pending, { email: pending.phoneFirst, code, source });

  const completed = await completeSignIn(partner, pending.key, code, source, step);
  switch (completed.kind) {
    case "too_many_attempts":
      return tooManyAttempts("code", completed);
    case "ended":
      return problemAt("code", t("expired"));
    case "wrong_code":
      return problemAt("code", wrongCodeMessage(completed.triesLeft));
    case "wrong_long_code":
      return problemAt("code", t(step === "email" ? "notFromEmail" : "notFromText"));
    case "long_code_needed":
      await rememberPendingSignIn(partner, { ...pending, codeDigits: longCodeDigits });
      return problemAt("code", t(step === "email" ? "longForEmail" : "longForPhone"));
    case "other_step":
      return { redirectTo: "/sign-in/code" };
    case "email_proven":
      await rememberPendingSignIn(partner, { ...pending, codeDigits: completed.codeDigits });
      return { redirectTo: "/sign-in/code" };
    case "has_account":
      await forgetPendingSignIn(partner);
      return { redirectTo: "/sign-in?account=yes" };
    case "signed_in":
      await openSession(partner, completed.person);
      await rememberDevice(partner, completed.person.phone);
      await forgetPendingSignIn(partner);
      return { redirectTo: pathAfterSignIn(completed.person, pending.returnTo) };
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
  if (outcome.kind === "wrong_code") return problemAt("code", words("code.problems")("notFromText"));
  await rememberDevice(partner, outcome.phone);
  await forgetPendingSignIn(partner);
  return { redirectTo: `/sign-in?${new URLSearchParams({ phone: "proven", return_to: pending.returnTo })}` };
}

/** The button "Resend code". */
export async function submitResend(partner: Partner): Promise<ActionResult> {
  const pending = await readPendingSignIn(partner);
  if (!pending) return { redirectTo: signInAgainAddress(pending) };
  const challenge = await readChallenge(partner, pending.key);
  if (!challenge) return { redirectTo: signInAgainAddress(pending) };
  if (pending.phoneFirst !== undefined) {
    await sendPhoneProof(partner, pending.phoneFirst, pending.key);
    return withNotice(longCodeNotice("phone"));
  }
  const outcome = await resendCode(partner, pending.key);
  if (outcome === "ended") return { redirectTo: signInAgainAddress(pending) };
  if (outcome === "too_soon")
    return withNotice(words("code.notices")("tooSoon", { seconds: String(limits.verificationCodeResendSeconds) }));
  await rememberPendingSignIn(partner, {
    ...pending,
    codeDigits: outcome === "sent" ? shortCodeDigits : longCodeDigits,
  });
  return withNotice(outcome === "sent" ? words("code.notices")("sent") : longCodeNotice(challenge.step));
}

function longCodeNotice(step: ChallengeStep): string {
  return words("code.notices")(step === "email" ? "longByEmail" : "longByText");
}

function withNotice(notice: string): FormState {
  return { problems: [], notice };
}

function wrongCodeMessage(triesLeft: number): string {
  const t = words("code.problems");
  return triesLeft === 0 ? t("lastTry") : t("wrong", { count: triesLeft });
}
