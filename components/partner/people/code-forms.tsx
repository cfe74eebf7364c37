"use client";

import { type Fillable, typeInto, useFillable } from "#components/sandbox/fillable.ts";
import { Button } from "#components/ui/button.tsx";
import { CodeField } from "#components/ui/code-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Field } from "#components/ui/field.tsx";
import { PhoneInput } from "#components/ui/phone-input.tsx";
import { ResendWait } from "#components/ui/resend-wait.tsx";
import type { ResendPause } from "#lib/partner/people/challenge.ts";
import type { SandboxPhoneContent } from "#lib/partner/sandbox/sandbox-texts.ts";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

type CodeFormProps = { action: FormAction; digits: number };

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

export function ResendForm({ action, wait }: { action: FormAction; wait: ResendPause }) {
  const { state, errorOf, isPending, run } = useFormAction(action);
  return (
    <form action={run} className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-5">
      <Button type="submit" variant="secondary" pending={isPending}>
        Resend code
      </Button>
      <ResendWait key={wait.codeSentAt} seconds={wait.secondsLeft} />
      <p role="status" className="w-full text-ink-soft">
        {state.notice ?? errorOf("form")}
      </p>
    </form>
  );
}

export function ChangePhoneForm({ action }: { action: FormAction }) {
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  const error = errorOf("phone");
  return (
    <div className="mt-6">
      <Disclosure title="Wrong number? Change it" isOpen={state.problems.length > 0}>
        <form {...formProps} className="flex flex-col gap-5">
          <FormProblems {...state} isShort />
          <Field
            label="Mobile phone"
            htmlFor="phone"
            hint="We'll text a new code to this number. Your other answers are kept."
            {...(error && { error })}
          >
            <PhoneInput id="phone" name="phone" required invalid={error !== undefined} />
          </Field>
          <Button type="submit" variant="secondary" className="self-start" pending={isPending}>
            Change number
          </Button>
        </form>
      </Disclosure>
    </div>
  );
}

/** Enters the code of the newest text on the sandbox's phone, and sends it. */
export const codeFromPhone: Fillable = {
  label: "Enter the code",
  fill: async () => {
    const response = await fetch("/api/sandbox/texts", { cache: "no-store" });
    if (!response.ok) return "The phone isn't responding. Please try again.";
    const { texts }: SandboxPhoneContent = await response.json();
    const code = texts.map(({ text }) => /\b\d{6}\b|\b\d{5} \d{5}\b/.exec(text)?.[0]).findLast(Boolean);
    if (!code) return "There's no text with a code yet.";
    (await typeInto("code", { code }))?.requestSubmit();
    return "Entered the code from the phone.";
  },
};
