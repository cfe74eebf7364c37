import { sentences } from "#brand/sentences.ts";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { FormAction } from "../use-form-action.ts";
import { SignUpForm } from "./sign-up-form.tsx";

export function SignUp({ action }: { action: FormAction }) {
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title={sentences.seller.who} description={sentences.seller.signUp} />
      <SignUpForm action={action} />
      <p className="mt-6">
        Already have an account? <TextLink href="/sign-in">Sign in</TextLink>
      </p>
    </div>
  );
}
