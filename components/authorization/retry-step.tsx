import { Card } from "#components/ui/card.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { CorrectionForm } from "./correction-form.tsx";
import { SubmissionCancel } from "./submission-cancel.tsx";
import { problemsOfFields } from "./submission-problems.ts";
import type { VisitActions } from "./visit-actions.ts";

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
