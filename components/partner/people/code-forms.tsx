"use client";

import { codeInText } from "#components/sandbox/device.tsx";
import { type Fillable, typeInto, useFillable } from "#components/sandbox/fillable.ts";
import { Button } from "#components/ui/button.tsx";
import { CodeField } from "#components/ui/code-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Field } from "#components/ui/field.tsx";
import { PhoneInput } from "#components/ui/phone-input.tsx";
import { ResendButton } from "#components/ui/resend-button.tsx";
import type { ChallengeStep, ChallengeView } from "#lib/partner/people/challenge.ts";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { fetchDevices } from "./live-devices.tsx";
import { TextField } from "./text-field.tsx";

type CodeFormProps = { action: FormAction; step: ChallengeStep; digits: number };

export function CodeForm({ action, step, digits }: CodeFormProps) {
  const t = useWords("code");
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  useFillable(codeFromDevice);
  return (
    <ActionForm {...formProps} className="flex flex-col gap-6">
      <FormProblems {...state} isShort />
      <input type="hidden" name="step" value={step} />
      <CodeField digits={digits} error={errorOf("code")} answer={state} />
      <Button type="submit" size="lg" className="self-start" pending={isPending}>
        {t(isPending ? "verifying" : "verify")}
      </Button>
    </ActionForm>
  );
}

export function ResendForm({
  action,
  wait,
}: {
  action: FormAction;
  wait: Pick<ChallengeView, "codeSentAt" | "secondsLeft">;
}) {
  const t = useWords("code");
  const { state, errorOf, run } = useFormAction(action);
  return (
    <ActionForm action={run} className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line pt-5">
      <ResendButton key={wait.codeSentAt} seconds={wait.secondsLeft} label={t("resend")} />
      <p role="status" className="w-full text-ink-soft">
        {state.notice ?? errorOf("form")}
      </p>
    </ActionForm>
  );
}

export function ChangeEmailForm({ action, email }: { action: FormAction; email: string }) {
  const person = useWords("person");
  const t = useWords("code");
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  return (
    <div className="mt-6">
      <Disclosure title={t("changeEmail.title")} isOpen={state.problems.length > 0}>
        <ActionForm {...formProps} className="flex flex-col gap-5">
          <FormProblems {...state} isShort />
          <TextField
            name="email"
            label={person("email")}
            hint={t("changeEmail.hint")}
            type="email"
            autoComplete="email"
            inputMode="email"
            defaultValue={email}
            error={errorOf("email")}
          />
          <Button type="submit" variant="secondary" className="self-start" pending={isPending}>
            {t("changeEmail.submit")}
          </Button>
        </ActionForm>
      </Disclosure>
    </div>
  );
}

export function ChangePhoneForm({ action }: { action: FormAction }) {
  const person = useWords("person");
  const t = useWords("code");
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  const error = errorOf("phone");
  return (
    <div className="mt-6">
      <Disclosure title={t("changePhone.title")} isOpen={state.problems.length > 0}>
        <ActionForm {...formProps} className="flex flex-col gap-5">
          <FormProblems {...state} isShort />
          <Field label={person("phone")} htmlFor="phone" hint={t("changePhone.hint")} error={error}>
            <PhoneInput id="phone" name="phone" required invalid={error !== undefined} />
          </Field>
          <Button type="submit" variant="secondary" className="self-start" pending={isPending}>
            {t("changePhone.submit")}
          </Button>
        </ActionForm>
      </Disclosure>
    </div>
  );
}

/** Enters the newest code from the device that the page waits for, and submits it. */
export const codeFromDevice: Fillable = {
  label: "Enter the code",
  fill: async () => {
    const devices = await fetchDevices().catch(() => undefined);
    if (!devices) return "The sandbox isn't responding. Please try again.";
    const messages = devices.find(({ isAwaited }) => isAwaited)?.messages ?? [];
    const code = messages.map(({ text }) => codeInText(text)).findLast(Boolean);
    if (!code) return "There's no message with a code yet.";
    (await typeInto("code", { code }))?.requestSubmit();
    return "Entered the code from the newest message.";
  },
};
