import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { EnterCode } from "#components/partner/people/enter-code.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { type ChallengeView, readChallenge } from "#lib/partner/people/challenge.ts";
import { readPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { changeEmail, changePhone, enterCode, resendCode } from "../actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("code")("pageTitle") };
}

// The code form shows that the challenge is over, and offers a new code.
const over: ChallengeView = { step: "phone", codeSentAt: 0, secondsLeft: 0 };

export default async function CodePage() {
  const pending = await readPendingSignIn(partner());
  if (!pending) redirect("/sign-in?ended=code");
  const { key, codeDigits, phoneEnding, phoneFirst, email } = pending;
  return (
    <PageWords of={["code", "person"]}>
      <EnterCode
        action={enterCode}
        resend={resendCode}
        changePhone={changePhone}
        changeEmail={changeEmail}
        challenge={(await readChallenge(partner(), key)) ?? over}
        digits={codeDigits}
        phoneEnding={phoneEnding}
        email={email}
        isPhoneFirst={phoneFirst !== undefined}
      />
    </PageWords>
  );
}
