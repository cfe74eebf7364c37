"use client";

import { SubmitButton } from "#components/ui/submit-button.tsx";
import { FormProblems } from "../form-problems.tsx";
import { useServiceName } from "../service-name.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

/** The button that leads to the service's pages. */
export function AuthorizeForm({
  action,
  label,
  returnTo,
  variant = "primary",
}: {
  action: FormAction;
  label: string;
  /** Where to come back to; the action has a place of its own without it. */
  returnTo?: string;
  variant?: "primary" | "secondary";
}) {
  const { state, run } = useFormAction(action);
  const serviceName = useServiceName();
  return (
    <form action={run} className="flex flex-col items-start gap-4">
      {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
      <FormProblems {...state} isShort />
      <SubmitButton variant={variant} pendingLabel={`Opening ${serviceName}`}>
        {label}
      </SubmitButton>
    </form>
  );
}
