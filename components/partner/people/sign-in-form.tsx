"use client";

import { Button } from "#components/ui/button.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { SwitchablePerson } from "#lib/partner/sandbox/seed.ts";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { TextField } from "./text-field.tsx";

export function SignInForm({ action, returnTo }: { action: FormAction; returnTo: string }) {
  const t = useWords("signIn");
  const person = useWords("person");
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  return (
    <ActionForm {...formProps} className="flex flex-col gap-6">
      <FormProblems {...state} />
      {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
      <TextField
        name="email"
        label={person("email")}
        type="email"
        autoComplete="username"
        inputMode="email"
        error={errorOf("email")}
      />
      <TextField
        name="password"
        label={person("password")}
        type="password"
        autoComplete="current-password"
        error={errorOf("password")}
      />
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        {t("submit")}
      </Button>
    </ActionForm>
  );
}

type DemoPeopleProps = {
  people: SwitchablePerson[];
  action: FormAction;
  returnTo: string;
};

/** In a sandbox: signs in a demo person without a password. */
export function DemoPeople({ people, action, returnTo }: DemoPeopleProps) {
  const t = useWords("signIn.demo");
  const { state, run } = useFormAction(action);
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="demo-people" className="mt-10 border-t border-line pt-8">
      <h2 id="demo-people" className="text-xl">
        {t("title")}
      </h2>
      <p className="mt-1.5 text-ink-soft">{t("text")}</p>
      <ActionForm action={run} className="mt-5 flex flex-wrap gap-3">
        <FormProblems {...state} isShort />
        {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
        {people.map(({ email, firstName, lastName, role }) => (
          <SubmitButton key={email} variant="secondary" name="email" value={email} pendingLabel={t("pending")}>
            {t(role, { name: `${firstName} ${lastName}` })}
          </SubmitButton>
        ))}
      </ActionForm>
    </section>
  );
}
