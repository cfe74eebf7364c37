import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ChallengeStep, ChallengeView } from "#lib/partner/people/challenge.ts";
import { withQuery } from "#lib/partner/requests/form-fields.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { ChangeEmailForm, ChangePhoneForm, CodeForm, ResendForm } from "./code-forms.tsx";
import { SandboxDevices } from "./sandbox-devices.tsx";

type EnterCodeProps = {
  action: FormAction;
  resend: FormAction;
  changePhone: FormAction;
  changeEmail: FormAction;
  challenge: ChallengeView;
  digits: number;
  phoneEnding: string;
  /** For a sign-up, which can still change its email address or phone. */
  email: string | undefined;
  /** After too many wrong passwords, the code comes first. */
  isPhoneFirst: boolean;
  /** The page after signing in, or empty. */
  returnTo: string;
};

export function EnterCode({
  action,
  resend,
  changePhone,
  changeEmail,
  challenge,
  digits,
  phoneEnding,
  email,
  isPhoneFirst,
  returnTo,
}: EnterCodeProps) {
  const t = useWords("code");
  const { step, codeSentAt } = challenge;
  const isEmail = step === "email";
  const signInAddress = withQuery("/sign-in", { return_to: returnTo || undefined });
  // A new code resets the forms. Requiring the long code doesn't: the form says why.
  const key = `${step} ${codeSentAt}`;
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader
        title={t(titleOf(step, isPhoneFirst))}
        description={<Description {...{ step, digits, phoneEnding, email, isPhoneFirst }} />}
        back={{ href: email === undefined ? signInAddress : "/sign-up", label: t("startOver") }}
      />
      <CodeForm key={key} action={action} step={step} digits={digits} />
      <ResendForm key={step} action={resend} wait={challenge} />
      {email === undefined ? null : isEmail ? (
        <ChangeEmailForm key={`email ${key}`} action={changeEmail} email={email} />
      ) : (
        <ChangePhoneForm key={`phone ${key}`} action={changePhone} />
      )}
      <p className="mt-6 text-ink-soft">
        {t.rich(isEmail ? "noEmail" : email === undefined ? "noText" : "noTextOfSignUp", {
          link: (label) => <TextLink href={signInAddress}>{label}</TextLink>,
        })}
      </p>
      <SandboxDevices />
    </div>
  );
}

export function titleOf(step: ChallengeStep, isPhoneFirst: boolean) {
  if (isPhoneFirst) return "titlePhoneFirst";
  return step === "email" ? "titleEmail" : "titlePhone";
}

type Asked = Pick<EnterCodeProps, "digits" | "phoneEnding" | "email" | "isPhoneFirst"> & Pick<ChallengeView, "step">;

function Description({ step, digits: count, phoneEnding: ending, email, isPhoneFirst }: Asked) {
  const t = useWords("code");
  const digits = String(count);
  if (isPhoneFirst) return t("leadPhoneFirst", { digits });
  if (step === "email") return t("leadEmail", { digits, email: email ?? "" });
  return t(email === undefined ? "leadPhone" : "leadPhoneOfSignUp", { digits, ending });
}
