"use client";

import { useFormContext } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { questions } from "./questions.ts";

/** The questions of a step, each with its input, checked when it is left, and while it is put right. */
export function QuestionFields({ names }: { names: QuestionName[] }) {
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      {names.map((name) => (
        <QuestionField key={name} name={name} />
      ))}
    </div>
  );
}

function QuestionField({ name }: { name: QuestionName }) {
  const { label, hint, Fields, isHalf = false } = questions[name];
  return (
    <div className={isHalf ? undefined : "sm:col-span-2"}>
      {Fields ? <Fields label={label} {...(hint && { hint })} /> : <LabelledInput name={name} />}
    </div>
  );
}

function LabelledInput({ name }: { name: QuestionName }) {
  const { label, autoComplete, hint, optional = false, Input = TextInput } = questions[name];
  const { register, formState, trigger } = useFormContext<OnboardingInput>();
  const error = formState.errors[name]?.message;
  return (
    <Field label={label} htmlFor={name} hint={hint} optional={optional} {...(error && { error })}>
      <Input
        id={name}
        invalid={Boolean(error)}
        required={!optional}
        autoComplete={autoComplete}
        {...register(name, { onChange: () => error && trigger(name) })}
      />
    </Field>
  );
}
