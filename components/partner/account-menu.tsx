import { ButtonLink } from "#components/ui/button-link.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { Person } from "#lib/partner/people/session.ts";

type AccountMenuProps = { person: Person | undefined; signOut: () => Promise<void> };

/** Who is signed in and the way out, or the way in. */
export function AccountMenu({ person, signOut }: AccountMenuProps) {
  if (!person) {
    return (
      <ButtonLink href="/sign-in" variant="secondary" size="sm">
        Sign in
      </ButtonLink>
    );
  }
  return (
    <form action={signOut} className="flex items-center gap-3">
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
