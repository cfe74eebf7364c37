import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { SignUpForm } from "./sign-up-form.tsx";

export function SignUp({ action }: { action: FormAction }) {
  const t = useWords("signUp");
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title={t("title")} description={t("lead")} />
      <SignUpForm action={action} />
      <p className="mt-6">{t.rich("signIn", { link: (label) => <TextLink href="/sign-in">{label}</TextLink> })}</p>
    </div>
  );
}
