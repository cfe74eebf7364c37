import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { DemoPerson } from "#lib/partner/sandbox/seed.ts";
import type { FormAction } from "../use-form-action.ts";
import { DemoPeople, SignInForm } from "./sign-in-form.tsx";

const passwordFirst = "Enter your password, and we'll text you a code.";
const nowThePassword = "Your phone is verified. Now enter your password, and we'll text you a code as usual.";

type SignInProps = {
  action: FormAction;
  demoAction: FormAction;
  demoPeople: DemoPerson[];
  returnTo: string;
  isPhoneProven: boolean;
  isSessionOver: boolean;
};

export function SignIn({ action, demoAction, demoPeople, returnTo, isPhoneProven, isSessionOver }: SignInProps) {
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title="Sign in" description={isPhoneProven ? nowThePassword : passwordFirst} />
      {isSessionOver ? (
        <div className="mb-6">
          <Alert tone="warning" title="Your session has ended">
            Nothing was sent. Sign in again to pick up where you left off.
          </Alert>
        </div>
      ) : null}
      <SignInForm action={action} returnTo={returnTo} />
      <p className="mt-6">
        New to {brandName}? <TextLink href="/sign-up">Sign up</TextLink>
      </p>
      <DemoPeople people={demoPeople} action={demoAction} returnTo={returnTo} />
    </div>
  );
}
