import { Alert } from "#components/ui/alert.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { DemoPerson } from "#lib/partner/sandbox/seed.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { DemoPeople, SignInForm } from "./sign-in-form.tsx";

type SignInProps = {
  action: FormAction;
  demoAction: FormAction;
  demoPeople: DemoPerson[];
  returnTo: string;
  isPhoneProven: boolean;
  /** They signed up with an address that already has an account. */
  hasAccount: boolean;
  isSessionOver: boolean;
  /** This browser has no sign-in that waits for a code. */
  isCodeOver: boolean;
};

export function SignIn({
  action,
  demoAction,
  demoPeople,
  returnTo,
  isPhoneProven,
  hasAccount,
  isSessionOver,
  isCodeOver,
}: SignInProps) {
  const t = useWords("signIn");
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title={t("title")} description={t(isPhoneProven ? "leadPhoneVerified" : "lead")} />
      {isSessionOver ? (
        <div className="mb-6">
          <Alert tone="warning" title={t("ended.title")}>
            {t("ended.text")}
          </Alert>
        </div>
      ) : null}
      {isCodeOver ? (
        <div className="mb-6">
          <Alert tone="warning" title={t("noCode.title")}>
            {t("noCode.text")}
          </Alert>
        </div>
      ) : null}
      {hasAccount ? (
        <div className="mb-6">
          <Alert tone="info" title={t("hasAccount.title")}>
            {t("hasAccount.text")}
          </Alert>
        </div>
      ) : null}
      <SignInForm action={action} returnTo={returnTo} />
      <p className="mt-6">{t.rich("signUp", { link: (label) => <TextLink href="/sign-up">{label}</TextLink> })}</p>
      <DemoPeople people={demoPeople} action={demoAction} returnTo={returnTo} />
    </div>
  );
}
