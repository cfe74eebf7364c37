import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { cache } from "react";
import { EnterCode, titleOf } from "#components/partner/people/enter-code.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { readChallenge } from "#lib/partner/people/challenge.ts";
import { readPendingSignIn, signInAgainAddress } from "#lib/partner/people/challenge-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { changeEmail, changePhone, enterCode, resendCode } from "../actions.ts";

const readStep = cache(async () => {
  const pending = await readPendingSignIn(partner());
  return { pending, challenge: pending && (await readChallenge(partner(), pending.key)) };
});

export async function generateMetadata(): Promise<Metadata> {
  const { pending, challenge } = await readStep();
  return challenge ? { title: words("code")(titleOf(challenge.step, pending?.phoneFirst !== undefined)) } : {};
}

export default async function CodePage() {
  const { pending, challenge } = await readStep();
  if (!pending || !challenge) redirect(signInAgainAddress(pending));
  const { returnTo, codeDigits, phoneEnding, phoneFirst, email } = pending;
  return (
    <PageWords of={["code", "person"]}>
      <EnterCode
        action={enterCode}
        resend={resendCode}
        changePhone={changePhone}
        changeEmail={changeEmail}
        challenge={challenge}
        digits={codeDigits}
        phoneEnding={phoneEnding}
        email={email}
        isPhoneFirst={phoneFirst !== undefined}
        returnTo={returnTo}
      />
    </PageWords>
  );
}
