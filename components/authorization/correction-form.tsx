"use client";

import { useActionState } from "react";
import { DateFields } from "#components/ui/date-fields.tsx";
import { Field } from "#components/ui/field.tsx";
import { SsnInput } from "#components/ui/ssn-input.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { type FieldProblem, useFieldErrors } from "./use-field-errors.ts";
import { type VisitActions, VisitForm } from "./visit-form.tsx";

type CorrectionFormProps = {
  visitId: string;
  problems: FieldProblem[];
  action: VisitActions["correct"];
};

/** After an error, keeps the date as typed, with or without scripts; never the SSN. */
export function CorrectionForm({ visitId, problems, action }: CorrectionFormProps) {
  const [{ dateOfBirth }, correct] = useActionState(action, { dateOfBirth: "" });
  const { errorOf, edit } = useFieldErrors(problems);
  const ssnError = errorOf("ssn");
  return (
    <VisitForm visitId={visitId} action={correct} onInput={edit} className="flex flex-col gap-5">
      <DateFields
        id="date_of_birth"
        label="Date of birth"
        hint="For example 05 / 14 / 1990"
        error={errorOf("date_of_birth")}
        value={dateOfBirth}
      />
      <Field label="Social Security number" htmlFor="ssn" hint="All nine digits, like 123-45-6789" error={ssnError}>
        <SsnInput id="ssn" name="ssn" required maxLength={40} invalid={ssnError !== undefined} />
      </Field>
      <SubmitButton size="lg" pendingLabel="Sending…" className="w-full">
        Send
      </SubmitButton>
    </VisitForm>
  );
}
