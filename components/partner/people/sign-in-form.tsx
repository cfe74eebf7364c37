"use client";

import { Button } from "#components/ui/button.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { DemoPerson } from "#lib/partner/sandbox/seed.ts";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { TextField } from "./text-field.tsx";

export function SignInForm({ action, returnTo }: { action: FormAction; returnTo: string }) {
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  return (
    <form {...formProps} className="flex flex-col gap-6">
      <FormProblems {...state} />
      {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
      <TextField
        name="email"
        label="Email"
        type="email"
        autoComplete="username"
        inputMode="email"
        error={errorOf("email")}
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        error={errorOf("password")}
      />
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        Continue
      </Button>
    </form>
  );
}

type DemoPeopleProps = {
  people: DemoPerson[];
  action: FormAction;
  returnTo: string;
};

/** In a sandbox: signs in a demo person without a password. */
export function DemoPeople({ people, action, returnTo }: DemoPeopleProps) {
  const { state, run } = useFormAction(action);
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="demo-people" className="mt-10 border-t border-line pt-8">
      <h2 id="demo-people" className="text-xl">
        Or sign in as a demo user
      </h2>
      <p className="mt-1.5 text-ink-soft">
        No password needed. The code arrives on the phone in the bar above the page.
      </p>
      <form action={run} className="mt-5 flex flex-wrap gap-3">
        <FormProblems {...state} isShort />
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
