import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { Person } from "#lib/partner/people/session.ts";

type DemoPeopleProps = {
  people: Person[];
  action: (form: FormData) => Promise<void>;
  returnTo: string;
};

/** In a sandbox: somebody to be, with one click. Their password is skipped, the code is not. */
export function DemoPeople({ people, action, returnTo }: DemoPeopleProps) {
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="demo-people" className="mt-10 border-t border-line pt-8">
      <h2 id="demo-people" className="text-xl">
        Or be somebody from the demo
      </h2>
      <p className="mt-1.5 text-ink-soft">Their code arrives on the phone in the corner.</p>
      <form action={action} className="mt-5 flex flex-wrap gap-3">
        {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
        {people.map(({ email, firstName, lastName, role }) => (
          <SubmitButton key={email} variant="secondary" name="email" value={email} pendingLabel="One moment">
            {firstName} {lastName}, {role}
          </SubmitButton>
        ))}
      </form>
    </section>
  );
}
