"use client";

import { Button } from "#components/ui/button.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { TextField } from "./text-field.tsx";

/** What Harbor asks of a new seller; the code comes afterwards. */
export function SignUpForm({ action }: { action: FormAction }) {
  const { summary, errorOf, isPending, formProps } = useFormAction(action);
  return (
    <form {...formProps} className="flex flex-col gap-6">
      <ErrorSummary problems={summary} />
      <div className="grid gap-6 sm:grid-cols-2">
        <TextField name="first_name" label="First name" autoComplete="given-name" error={errorOf("first_name")} />
        <TextField name="last_name" label="Last name" autoComplete="family-name" error={errorOf("last_name")} />
      </div>
      <TextField
        name="email"
        label="E-mail"
        type="email"
        autoComplete="email"
        inputMode="email"
        error={errorOf("email")}
      />
      <TextField
        name="phone"
        label="Mobile phone"
        hint="A US number, as (202) 555-0123. We text you a code each time you sign in."
        type="tel"
        autoComplete="tel"
        inputMode="tel"
        error={errorOf("phone")}
      />
      <TextField
        name="password"
        label="Password"
        hint="At least 12 characters."
        type="password"
        autoComplete="new-password"
        error={errorOf("password")}
      />
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        Continue
      </Button>
    </form>
  );
}
