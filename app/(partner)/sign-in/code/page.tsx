import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { EnterCode } from "#components/partner/people/enter-code.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { readChallenge } from "#lib/partner/people/challenge.ts";
import { addressOfEnded, readPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { changeEmail, changePhone, enterCode, resendCode } from "../actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("code")("pageTitle") };
}

export default async function CodePage() {
  const pending = await readPendingSignIn(partner());
  const challenge = pending && (await readChallenge(partner(), pending.key));
  if (!pending || !challenge) redirect(addressOfEnded(pending));
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
