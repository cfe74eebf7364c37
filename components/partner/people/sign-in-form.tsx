"use client";

import { Button } from "#components/ui/button.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { TextField } from "./text-field.tsx";

/** The first factor: email address and password. */
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
