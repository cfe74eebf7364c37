"use client";

import { useController } from "react-hook-form";
import { DateFields } from "#components/ui/date-fields.tsx";
import type { OnboardingInput } from "#lib/partner/onboarding/onboarding-fields.ts";
import type { AnswerFieldsProps } from "./answer-inputs.tsx";

/** The date of birth, in three fields that make one answer. */
export function BirthdayFields({ label, hint }: AnswerFieldsProps) {
  const { field, fieldState } = useController<OnboardingInput, "date_of_birth">({ name: "date_of_birth" });
  return (
    <DateFields
      id={field.name}
      label={label}
      hint={hint}
      error={fieldState.error?.message}
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      isBirthday
    />
  );
}
