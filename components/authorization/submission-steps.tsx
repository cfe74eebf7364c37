import { Card } from "#components/ui/card.tsx";
import { controlAria, controlStyle } from "#components/ui/control-style.ts";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Field } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { SubmissionProblem } from "#lib/service/domain/identity-submission.ts";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { CorrectionForm } from "./correction-form.tsx";
import { type VisitActions, VisitForm } from "./visit-form.tsx";

export type RetryStepProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "retry" | "document" }>;
  actions: VisitActions;
};

/** Asks once more for date of birth and social security number. */
export function RetryStep({ visitId, view: { clientName, problems }, actions }: RetryStepProps) {
  const listed = problemsOfFields(problems);
  return (
    <Card>
      <p className="eyebrow text-ink-soft">One more step before {clientName}</p>
      <h1 className="mt-2 text-3xl">Check two details</h1>
      <p className="mt-3 text-ink-soft">
        The date of birth and Social Security number that we have for you do not match public records. Please enter both
        again. You can do this once.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <ErrorSummary problems={listed} />
        <CorrectionForm visitId={visitId} problems={listed} action={actions.correct} />
        <SubmissionCancel visitId={visitId} actions={actions} />
      </div>
    </Card>
  );
}

/**
 * Asks for a photo ID. An ordinary form to an address of its own, and no server action: the size is judged before the file
 * is read, and nothing here needs JavaScript.
 */
export function DocumentStep({ visitId, view: { clientName, problems }, actions }: RetryStepProps) {
  const listed = problemsOfFields(problems);
  const error = listed[0]?.message;
  return (
    <Card>
      <p className="eyebrow text-ink-soft">One more step before {clientName}</p>
      <h1 className="mt-2 text-3xl">Show us a photo ID</h1>
      <p className="mt-3 text-ink-soft">
        Public records were not enough to confirm who you are. Please upload a picture of your passport, driver’s
        license or state ID. {clientName} will not see it.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <ErrorSummary title="That did not work" problems={listed} />
        <form
          method="post"
          action={`/login/oauth/authorize/${visitId}/document`}
          encType="multipart/form-data"
          className="flex flex-col gap-5"
        >
          <Field
            label="Photo ID"
            htmlFor="photo"
            hint={`JPEG, PNG or PDF, at most ${limits.photoIdBytesMax / 1024 ** 2} MB`}
            {...(error && { error })}
          >
            <input
              id="photo"
              name="photo"
              type="file"
              required
              accept="image/jpeg,image/png,application/pdf"
              className={controlStyle}
              {...controlAria("photo", error !== undefined)}
            />
          </Field>
          <SubmitButton size="lg" className="w-full">
            Upload
          </SubmitButton>
        </form>
        <SubmissionCancel visitId={visitId} actions={actions} />
      </div>
    </Card>
  );
}

/** The way back to the client from a step that asks for something. */
function SubmissionCancel({ visitId, actions }: { visitId: string; actions: VisitActions }) {
  return (
    <div className="border-t border-line pt-5">
      <VisitForm visitId={visitId} action={actions.cancel}>
        <SubmitButton variant="ghost" className="w-full">
          Cancel
        </SubmitButton>
      </VisitForm>
    </div>
  );
}

const messages: Record<SubmissionProblem, { field: string; message: string }> = {
  date_of_birth: {
    field: "date_of_birth",
    message: `Enter your real date of birth, at least ${limits.ageYearsMin} years ago. Month first, like 05 / 14 / 1990.`,
  },
  ssn: { field: "ssn", message: "Enter all nine digits of your Social Security number." },
  photo_missing: { field: "photo", message: "Choose a photo of your ID first." },
  photo_too_large: {
    field: "photo",
    message: `This file is larger than ${limits.photoIdBytesMax / 1024 ** 2} MB. Choose a smaller one.`,
  },
  photo_of_another_kind: { field: "photo", message: "This file is not a JPEG, PNG or PDF. Choose another one." },
};

/** What was wrong with a submission, as the person reads it beside the field. */
function problemsOfFields(problems: SubmissionProblem[]): { field: string; message: string }[] {
  return problems.map((problem) => messages[problem]);
}
