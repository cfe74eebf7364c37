"use client";

import { Button } from "#components/ui/button.tsx";
import { CodeInput } from "#components/ui/code-input.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Field } from "#components/ui/field.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

type CodeFormProps = {
  action: FormAction;
  resend: FormAction;
  digits: number;
  /** What the button says: what a right code leads to. */
  label: string;
};

/** The second factor: the digits of the text, and a new text for whom none came. */
export function CodeForm({ action, resend, digits, label }: CodeFormProps) {
  const { summary, errorOf, isPending, formProps } = useFormAction(action);
  const again = useFormAction(resend);
  const error = errorOf("code");
  return (
    <>
      <form {...formProps} className="flex flex-col gap-6">
        <ErrorSummary problems={summary} title="Please check the code" />
        <Field
          label="Verification code"
          htmlFor="code"
          hint={digits === 6 ? "Six digits." : "Ten digits."}
          {...(error && { error })}
        >
          <CodeInput id="code" digits={digits} invalid={Boolean(error)} required />
        </Field>
        <Button type="submit" size="lg" className="self-start" pending={isPending}>
          {label}
        </Button>
      </form>
      <form action={again.run} className="mt-4">
        <Button type="submit" variant="ghost" pending={again.isPending}>
          Resend code
        </Button>
        <p role="status" className="mt-2 text-ink-soft">
          {again.state.news ?? again.trouble}
        </p>
      </form>
    </>
  );
}
