import { Card } from "#components/ui/card.tsx";
import { controlAria, controlStyle } from "#components/ui/control-style.ts";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { Field } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { RetryStepProps } from "./retry-step.tsx";
import { SubmissionCancel } from "./submission-cancel.tsx";
import { problemsOfFields } from "./submission-problems.ts";

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
