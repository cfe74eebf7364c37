import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { EnterCode } from "#components/partner/people/enter-code.tsx";
import { readResendPause } from "#lib/partner/people/challenge.ts";
import { readPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { changePhone, enterCode, resendCode } from "../actions.ts";

export const metadata: Metadata = { title: "Enter your code" };

export default async function CodePage() {
  const pending = await readPendingSignIn(partner());
  if (!pending) redirect("/sign-in");
  const { key, codeDigits, phoneEnding, phoneFirst, isSignUp = false } = pending;
  return (
    <EnterCode
      action={enterCode}
      resend={resendCode}
      changePhone={isSignUp ? changePhone : undefined}
      digits={codeDigits}
      phoneEnding={phoneEnding}
      isPhoneFirst={phoneFirst !== undefined}
      resendWait={await readResendPause(partner(), key)}
    />
  );
}
