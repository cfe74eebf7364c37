"use client";

import type { ComponentType } from "react";
import { type UseFormRegisterReturn, useController, useFormContext } from "react-hook-form";
import { DateFields } from "#components/ui/date-fields.tsx";
import { Field } from "#components/ui/field.tsx";
import { Select } from "#components/ui/select.tsx";
import { SsnInput } from "#components/ui/ssn-input.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { longDate } from "#lib/kit/us-date.ts";
import type { OnboardingInput, QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { stateName, stateNames } from "./state-names.ts";

export type Question = {
  /** The title of the step that asks it. */
  step: "About you" | "Address";
  label: string;
  autoComplete: string;
  hint?: string;
  optional?: true;
  /** Takes half of a wide page, beside its neighbour. */
  isHalf?: true;
  /** In the place of a line of text. */
  Input?: ComponentType<AnswerInputProps>;
  /** In the place of label, input and error. */
  Fields?: ComponentType<AnswerFieldsProps>;
  /** What the review shows of the answer; all of it without this. */
  review?: (answer: string) => string;
};

/** The questions of the onboarding form, in the contract's order. Steps, inputs, review, empty answers and summaries of problems follow from it. */
export const questions: Record<QuestionName, Question> = {
  first_name: { step: "About you", label: "First name", autoComplete: "given-name", isHalf: true },
  last_name: { step: "About you", label: "Last name", autoComplete: "family-name", isHalf: true },
  date_of_birth: {
    step: "About you",
    label: "Date of birth",
    autoComplete: "bday",
    hint: "For example 05 / 14 / 1990",
    Fields: BirthdayFields,
    review: longDate,
  },
  ssn: {
    step: "About you",
    label: "Social Security number",
    autoComplete: "off",
    hint: "All nine digits, or the last four. We send it to our payment service and do not keep it.",
    Input: SsnInput,
    review: (ssn) => (ssn ? `Ends in ${ssn.slice(-4)}` : "Missing"),
  },
  address1: { step: "Address", label: "Street address", autoComplete: "address-line1" },
  address2: { step: "Address", label: "Apartment or suite", autoComplete: "address-line2", optional: true },
  city: { step: "Address", label: "City", autoComplete: "address-level2" },
  state: {
    step: "Address",
    label: "State",
    autoComplete: "address-level1",
    isHalf: true,
    Input: StateInput,
    review: stateName,
  },
  postal_code: { step: "Address", label: "ZIP code", autoComplete: "postal-code", isHalf: true, Input: ZipCodeInput },
};

/** Their names, in that order. Not asked of the schema, which comes later than the page. */
export const questionNames = Object.keys(questions) as QuestionName[];

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

/** What each input of a question gets. */
export type AnswerInputProps = UseFormRegisterReturn & {
  id: string;
  invalid: boolean;
  required: boolean;
  autoComplete: string;
};

/** What a question gets that brings several inputs, with their label and their error. */
export type AnswerFieldsProps = { label: string; hint?: string };

/** One of the states by its name. */
export function StateInput(props: AnswerInputProps) {
  return (
    <Select {...props}>
      <option value="">Choose your state</option>
      {Object.entries(stateNames).map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  );
}

/** Five digits; nine are cut when it is read, not while it is typed. */
export function ZipCodeInput(props: AnswerInputProps) {
  return <TextInput {...props} inputMode="numeric" className="tabular-nums" />;
}
