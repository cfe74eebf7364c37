import { Alert } from "#components/ui/alert.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { SwitchablePerson } from "#lib/partner/sandbox/seed.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { DemoPeople, SignInForm } from "./sign-in-form.tsx";

/**
 * Why someone is asked to sign in. `hasAccount`: they signed up with an address that already has one. `noCode`: this browser
 * has no sign-in that waits for a code.
 */
export type SignInNotice = "hasAccount" | "ended" | "noCode";

type SignInProps = {
  action: FormAction;
  demoAction: FormAction;
  demoPeople: SwitchablePerson[];
  returnTo: string;
  isPhoneProven: boolean;
  notice: SignInNotice | undefined;
};

export function SignIn({ action, demoAction, demoPeople, returnTo, isPhoneProven, notice }: SignInProps) {
  const t = useWords("signIn");
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title={t("title")} description={t(isPhoneProven ? "leadPhoneVerified" : "lead")} />
      {notice ? (
        <div className="mb-6">
          <Alert tone={notice === "hasAccount" ? "info" : "warning"} title={t(`${notice}.title`)}>
            {t(`${notice}.text`)}
          </Alert>
        </div>
      ) : null}
      <SignInForm action={action} returnTo={returnTo} />
      <p className="mt-6">{t.rich("signUp", { link: (label) => <TextLink href="/sign-up">{label}</TextLink> })}</p>
      <DemoPeople people={demoPeople} action={demoAction} returnTo={returnTo} />
    </div>
  );
}
