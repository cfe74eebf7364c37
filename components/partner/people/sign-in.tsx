"use client";

import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { DemoPerson } from "#lib/partner/sandbox/seed.ts";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { TextField } from "./text-field.tsx";

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
