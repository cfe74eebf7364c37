"use client";

import { ButtonLink } from "#components/ui/button-link.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { Person } from "#lib/partner/people/session.ts";
import { type FormAction, useFormAction } from "./use-form-action.ts";

type AccountMenuProps = { person: Pick<Person, "firstName" | "lastName"> | undefined; signOut: FormAction };

/** Who is signed in and the way out, or the way in. */
export function AccountMenu({ person, signOut }: AccountMenuProps) {
  const { run } = useFormAction(signOut);
  if (!person) {
    return (
      <ButtonLink href="/sign-in" variant="secondary" size="sm">
        Sign in
      </ButtonLink>
    );
  }
  return (
    <form action={run} className="flex items-center gap-3">
      <span className="max-w-40 truncate text-sm text-ink-soft">
        <span className="sr-only">Signed in as </span>
        {person.firstName} {person.lastName}
      </span>
      <SubmitButton variant="ghost" size="sm" pendingLabel="Signing out">
        Sign out
      </SubmitButton>
    </form>
  );
}
