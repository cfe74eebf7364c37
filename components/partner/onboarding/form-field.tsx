"use client";

import type { ComponentProps, ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";

type FormFieldProps = Omit<ComponentProps<"input">, "id" | "name"> & {
  name: Exclude<keyof OnboardingInput, "metadata">;
  label: string;
  hint?: ReactNode;
  optional?: boolean;
};

/** One labelled answer of the form, checked when it is left and from then on while it is typed. */
export function FormField({ name, label, hint, optional = false, ...input }: FormFieldProps) {
  const { register, formState } = useFormContext<OnboardingInput>();
  const error = formState.errors[name]?.message;
  return (
    <Field label={label} htmlFor={name} hint={hint} optional={optional} {...(error && { error })}>
      <TextInput id={name} invalid={Boolean(error)} required={!optional} {...input} {...register(name)} />
    </Field>
  );
}
