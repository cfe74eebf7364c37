import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ResendPause } from "#lib/partner/people/challenge.ts";
import type { FormAction } from "../use-form-action.ts";
import { ChangePhoneForm, CodeForm, ResendForm } from "./code-forms.tsx";
import { SandboxPhone } from "./sandbox-phone.tsx";

type EnterCodeProps = {
  action: FormAction;
  resend: FormAction;
  /** Sign-up only. */
  changePhone: FormAction | undefined;
  digits: number;
  phoneEnding: string;
  /** After too many wrong passwords, the code comes first. */
  isPhoneFirst: boolean;
  resendWait: ResendPause;
};

export function EnterCode({
  action,
  resend,
  changePhone,
  digits,
  phoneEnding,
  isPhoneFirst,
  resendWait,
}: EnterCodeProps) {
  return (
    <div className="mx-auto max-w-xl">
      <CodeHeader digits={digits} phoneEnding={phoneEnding} isPhoneFirst={isPhoneFirst} />
      {/* A new code resets the form. */}
      <CodeForm key={`${resendWait.codeSentAt} ${digits}`} action={action} digits={digits} />
      <ResendForm action={resend} wait={resendWait} />
      {changePhone ? <ChangePhoneForm key={`phone ${resendWait.codeSentAt}`} action={changePhone} /> : null}
      <p className="mt-6 text-ink-soft">
        Didn't get a text? Check your number, or <TextLink href="/sign-in">sign in</TextLink> if you already have an
        account.
      </p>
      <SandboxPhone />
    </div>
  );
}

type CodeHeaderProps = { digits: number; phoneEnding: string; isPhoneFirst: boolean };

export function CodeHeader({ digits, phoneEnding, isPhoneFirst }: CodeHeaderProps) {
  return (
    <PageHeader
      title={isPhoneFirst ? "Verify your phone first" : "Check your phone"}
      description={
        isPhoneFirst
          ? `There were too many wrong passwords for this account. To continue on this device, enter the ${digits}-digit code we texted to the account's phone. Then enter your password.`
          : `We texted a ${digits}-digit code to your phone ending in ${phoneEnding}.`
      }
      back={{ href: "/sign-in", label: "Start over" }}
    />
  );
}
