"use client";

import type { ComponentType } from "react";
import { type UseFormRegisterReturn, useController, useFormContext } from "react-hook-form";
import { DateFields } from "#components/ui/date-fields.tsx";
import { Field } from "#components/ui/field.tsx";
import { Select } from "#components/ui/select.tsx";
import { SsnInput } from "#components/ui/ssn-input.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { longDate } from "#lib/kit/us-formats.ts";
import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { useWords } from "#use-words";
import { stateName, stateNames } from "./state-names.ts";

export type Question = {
  step: "aboutYou" | "address";
  autoComplete: string;
  optional?: true;
  /** Half the width on wide pages. */
  isHalf?: true;
  /** Replaces the text input. */
  Input?: ComponentType<AnswerInputProps>;
  /** Replaces label, input and error. */
  Fields?: ComponentType<AnswerFieldsProps>;
  /** What the review shows; the whole answer by default. */
  review?: (answer: string, locale: string) => string;
};

/** The onboarding questions, in the contract's order. Steps, inputs and review derive from them. */
export const questions: Record<QuestionName, Question> = {
  first_name: { step: "aboutYou", autoComplete: "given-name", isHalf: true },
  last_name: { step: "aboutYou", autoComplete: "family-name", isHalf: true },
  date_of_birth: { step: "aboutYou", autoComplete: "bday", Fields: BirthdayFields, review: longDate },
  ssn: { step: "aboutYou", autoComplete: "off", Input: SsnInput },
  address1: { step: "address", autoComplete: "address-line1" },
  address2: { step: "address", autoComplete: "address-line2", optional: true },
  city: { step: "address", autoComplete: "address-level2" },
  state: { step: "address", autoComplete: "address-level1", isHalf: true, Input: StateInput, review: stateName },
  postal_code: { step: "address", autoComplete: "postal-code", isHalf: true, Input: ZipCodeInput },
};

/** Not derived from the schema, which loads later than the page. */
export const questionNames = Object.keys(questions) as QuestionName[];

/** Inputs are validated on blur, and while an error is being fixed. */
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
  const { Fields, isHalf = false } = questions[name];
  const { label, hint } = useQuestionWords(name);
  return (
    <div className={isHalf ? undefined : "sm:col-span-2"}>
      {Fields ? <Fields label={label} hint={hint} /> : <LabelledInput name={name} />}
    </div>
  );
}

function useQuestionWords(name: QuestionName) {
  const t = useWords("onboarding");
  const hint = name === "date_of_birth" || name === "ssn" ? t(`hints.${name}`) : undefined;
  return { label: t(`labels.${name}`), hint };
}

function LabelledInput({ name }: { name: QuestionName }) {
  const { autoComplete, optional = false, Input = TextInput } = questions[name];
  const { label, hint } = useQuestionWords(name);
  const { register, formState, trigger } = useFormContext<OnboardingInput>();
  const error = formState.errors[name]?.message;
  return (
    <Field label={label} htmlFor={name} hint={hint} optional={optional} error={error}>
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
    />
  );
}

export type AnswerInputProps = UseFormRegisterReturn & {
  id: string;
  invalid: boolean;
  required: boolean;
  autoComplete: string;
};

/** The props of a question with several inputs. */
export type AnswerFieldsProps = { label: string; hint?: string };

export function StateInput(props: AnswerInputProps) {
  const t = useWords("onboarding");
  return (
    <Select {...props}>
      <option value="">{t("chooseState")}</option>
      {Object.entries(stateNames).map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  );
}

/** The form's parser cuts ZIP+4. */
export function ZipCodeInput(props: AnswerInputProps) {
  return <TextInput {...props} inputMode="numeric" className="tabular-nums" />;
}
