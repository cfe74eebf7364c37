import type { ComponentType } from "react";
import { SsnInput } from "#components/ui/ssn-input.tsx";
import { longDate } from "#lib/kit/us-date.ts";
import type { QuestionName } from "#lib/partner/onboarding/onboarding-fields.ts";
import { type AnswerFieldsProps, type AnswerInputProps, StateInput, ZipCodeInput } from "./answer-inputs.tsx";
import { BirthdayFields } from "./birthday-fields.tsx";
import { stateName } from "./state-names.ts";

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
