"use client";

import { useFillable } from "#components/sandbox/fillable.ts";
import { Button } from "#components/ui/button.tsx";
import { CodeField } from "#components/ui/code-field.tsx";
import { FormProblems } from "../form-problems.tsx";
import { codeFromPhone } from "../sandbox/code-from-phone.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";

type CodeFormProps = { action: FormAction; digits: number };

/** The second factor: the digits of the text. */
export function CodeForm({ action, digits }: CodeFormProps) {
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  useFillable(codeFromPhone);
  return (
    <form {...formProps} className="flex flex-col gap-6">
      <FormProblems {...state} isShort />
      <CodeField digits={digits} error={errorOf("code")} answer={state} />
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        {isPending ? "Verifying…" : "Verify"}
      </Button>
    </form>
  );
}
