import { TextLink } from "#components/ui/text-link.tsx";
import type { ResendPause } from "#lib/partner/people/challenge.ts";
import { SandboxPhone } from "../sandbox-phone.tsx";
import type { FormAction } from "../use-form-action.ts";
import { ChangePhoneForm } from "./change-phone-form.tsx";
import { CodeForm } from "./code-form.tsx";
import { CodeHeader } from "./code-header.tsx";
import { ResendForm } from "./resend-form.tsx";

type EnterCodeProps = {
  action: FormAction;
  resend: FormAction;
  /** In a sign-up only. */
  changePhone: FormAction | undefined;
  digits: number;
  phoneEnding: string;
  /** Whether the code comes before the password, which it does after too many wrong ones. */
  isPhoneFirst: boolean;
  resendWait: ResendPause;
};

/** The second factor. */
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
      {/* With another code begins another form: nothing typed, nothing wrong. */}
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
