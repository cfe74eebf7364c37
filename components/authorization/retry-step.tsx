import { Card } from "#components/ui/card.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Field } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { SubmissionCancel } from "./submission-cancel.tsx";
import { problemsOfFields } from "./submission-problems.ts";
import type { VisitActions } from "./visit-actions.ts";
import { VisitForm } from "./visit-form.tsx";

export type RetryStepProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "retry" | "document" }>;
  actions: VisitActions;
};

/** Asks once more for date of birth and social security number. What was typed is never shown again. */
export function RetryStep({ visitId, view: { clientName, problems }, actions }: RetryStepProps) {
  const listed = problemsOfFields(problems);
  const errorOf = (field: string) => listed.find((problem) => problem.field === field)?.message;
  const [dateError, ssnError] = [errorOf("date_of_birth"), errorOf("ssn")];
  return (
    <Card>
      <p className="eyebrow text-ink-soft">One more step before {clientName}</p>
      <h1 className="mt-2 text-3xl">Check two details</h1>
      <p className="mt-3 text-ink-soft">
        We could not confirm who you are with the date of birth and social security number that we have. Perhaps a digit
        is wrong. You can correct them here once.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <ErrorSummary problems={listed} />
        <VisitForm visitId={visitId} action={actions.correct} className="flex flex-col gap-5">
          <Field
            label="Date of birth"
            htmlFor="date_of_birth"
            hint="Year, month and day, like 1990-01-31"
            {...(dateError && { error: dateError })}
          >
            <TextInput
              id="date_of_birth"
              name="date_of_birth"
              required
              autoComplete="bday"
              maxLength={10}
              invalid={dateError !== undefined}
            />
          </Field>
          <Field
            label="Social security number"
            htmlFor="ssn"
            hint="All nine digits"
            {...(ssnError && { error: ssnError })}
          >
            <TextInput
              id="ssn"
              name="ssn"
              required
              inputMode="numeric"
              autoComplete="off"
              spellCheck={false}
              maxLength={20}
              invalid={ssnError !== undefined}
            />
          </Field>
          <SubmitButton size="lg" pendingLabel="Sending…" className="w-full">
            Send
          </SubmitButton>
        </VisitForm>
        <SubmissionCancel visitId={visitId} actions={actions} />
      </div>
    </Card>
  );
}
