"use client";

import { ButtonLink } from "#components/ui/button-link.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { Person } from "#lib/partner/people/session.ts";
import { useWords } from "#use-words";
import { ActionForm } from "./action-form.tsx";
import { type FormAction, useFormAction } from "./use-form-action.ts";

type AccountMenuProps = { person: Pick<Person, "firstName" | "lastName"> | undefined; signOut: FormAction };

export function AccountMenu({ person, signOut }: AccountMenuProps) {
  const t = useWords("frame");
  const { run } = useFormAction(signOut);
  if (!person) {
    return (
      <ButtonLink href="/sign-in" variant="secondary" size="sm">
        {t("signIn")}
      </ButtonLink>
    );
  }
  return (
    // Aligns the last word with the page edge; the hover background extends beyond it.
    <ActionForm action={run} className="-mr-3 flex min-w-0 items-center gap-1 sm:gap-3">
      <span className="line-clamp-2 max-w-40 min-w-0 text-right text-sm leading-tight wrap-anywhere text-ink-soft">
        <span className="sr-only">{t("signedInAs")} </span>
        {person.firstName} {person.lastName}
      </span>
      <SubmitButton variant="ghost" size="sm" pendingLabel={t("signingOut")} className="shrink-0">
        {t("signOut")}
      </SubmitButton>
    </ActionForm>
  );
}
