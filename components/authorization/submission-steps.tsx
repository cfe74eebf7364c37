import { Card } from "#components/ui/card.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { SubmissionProblem } from "#lib/service/domain/identity-submission.ts";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { CorrectionForm } from "./correction-form.tsx";
import { PhotoForm } from "./photo-form.tsx";
import type { FieldProblem } from "./use-field-errors.ts";
import { CancelForm, type VisitActions } from "./visit-form.tsx";

export type RetryStepProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "retry" | "document" }>;
  actions: VisitActions;
};

export function RetryStep({ visitId, view: { clientName, problems }, actions }: RetryStepProps) {
  const listed = problemsOfFields(problems);
  return (
    <Card>
      <p className="eyebrow text-ink-soft">One more step before {clientName}</p>
      <h1 className="mt-2 text-3xl">Check two details</h1>
      <p className="mt-3 text-ink-soft">
        The date of birth and Social Security number we have for you don’t match public records. Please enter both
        again. You can only do this once.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <ErrorSummary problems={listed} />
        <CorrectionForm visitId={visitId} problems={listed} action={actions.correct} />
        <div className="border-t border-line pt-5">
          <CancelForm visitId={visitId} action={actions.cancel} />
        </div>
      </div>
    </Card>
  );
}

export function DocumentStep({ visitId, view: { clientName, problems }, actions }: RetryStepProps) {
  const listed = problemsOfFields(problems);
  return (
    <Card>
      <p className="eyebrow text-ink-soft">One more step before {clientName}</p>
      <h1 className="mt-2 text-3xl">Upload a photo ID</h1>
      <p className="mt-3 text-ink-soft">
        We couldn’t confirm your identity from public records. Upload a picture of your passport, driver’s license, or
        state ID. {clientName} won’t see it.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        <ErrorSummary title="We couldn’t use that file" problems={listed} />
        <PhotoForm visitId={visitId} problems={listed} />
        <div className="border-t border-line pt-5">
          <CancelForm visitId={visitId} action={actions.cancel} />
        </div>
      </div>
    </Card>
  );
}

const messages: Record<SubmissionProblem, FieldProblem> = {
  date_of_birth: {
    field: "date_of_birth",
    message: `Enter your date of birth, month first, like 05 / 14 / 1990. You must be at least ${limits.ageYearsMin}.`,
  },
  ssn: { field: "ssn", message: "Enter all nine digits of your Social Security number, as shown on your card." },
  photo_missing: { field: "photo", message: "Choose a photo of your ID first." },
  photo_too_large: {
    field: "photo",
    message: `This file is larger than ${limits.photoIdBytesMax / 1024 ** 2} MB. Choose a smaller one.`,
  },
  photo_of_another_kind: { field: "photo", message: "This file isn’t a JPEG, PNG, or PDF. Choose another one." },
};

function problemsOfFields(problems: SubmissionProblem[]): FieldProblem[] {
  return problems.map((problem) => messages[problem]);
}
