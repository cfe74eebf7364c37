import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { CodeField } from "#components/ui/code-field.tsx";
import { ResendButton } from "#components/ui/resend-button.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { VerificationProblem, VisitView } from "#lib/service/operations/visits/read-visit.ts";
import { CancelForm, type VisitActions, VisitForm } from "./visit-form.tsx";

export type VerificationStepProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "verification_code" }>;
  actions: VisitActions;
};

export function VerificationStep({ visitId, view, actions }: VerificationStepProps) {
  const { clientName, maskedPhone, problem, isResent, resendSeconds, canResend, isCodeSent } = view;
  const message = problem && problemMessage(problem);
  return (
    <Card>
      <p className="eyebrow text-ink-soft">Sign in to continue to {clientName}</p>
      <h1 className="mt-2 text-3xl">{isCodeSent ? "Check your phone" : "Verify your phone"}</h1>
      <p className="mt-3 text-ink-soft">
        {isCodeSent ? "We texted you a six-digit code at" : "We couldn’t text a code to"} the number ending in{" "}
        <span className="font-semibold whitespace-nowrap text-ink">
          <span aria-hidden="true">{maskedPhone}</span>
          <span className="sr-only">{maskedPhone.slice(-4)}</span>
        </span>
        .
      </p>
      <div className="mt-6 flex flex-col gap-6">
        {isResent && !message ? (
          <Alert tone="success" title="We texted you a new code">
            Earlier codes no longer work here.
          </Alert>
        ) : null}
        <VisitForm visitId={visitId} action={actions.verify} className="flex flex-col gap-5">
          {/* A new object in each response, because the view of an expired code doesn't change. */}
          <CodeField error={message} answer={{}} />
          <SubmitButton size="lg" pendingLabel="Verifying…" className="w-full">
            Verify
          </SubmitButton>
        </VisitForm>
        <div className="flex flex-col gap-3 border-t border-line pt-5">
          {canResend ? (
            <VisitForm
              visitId={visitId}
              action={actions.resend}
              className="flex flex-wrap items-center gap-x-4 gap-y-1"
            >
              {/* The wait restarts with each code, and when a resend came too early. */}
              <ResendButton
                key={`${view.tries} ${resendSeconds}`}
                seconds={resendSeconds}
                label="Resend code"
                pendingLabel="Sending…"
              />
            </VisitForm>
          ) : null}
          <CancelForm visitId={visitId} action={actions.cancel} />
        </div>
      </div>
    </Card>
  );
}

function problemMessage(problem: VerificationProblem): string {
  switch (problem.kind) {
    case "wrong_code":
      return `That isn’t the code we texted you. You have ${problem.triesLeft} ${problem.triesLeft === 1 ? "try" : "tries"} left.`;
    case "code_used_up":
      return "Too many wrong tries. Choose Resend code to get a new one.";
    case "code_expired":
      return "This code has expired. Choose Resend code to get a new one.";
    case "code_not_sent":
      return "Choose Resend code to get a code.";
    case "texts_used_up":
      return "We’ve sent too many codes to this phone. Try again in an hour.";
    case "phone_blocked":
      return "Too many wrong codes were entered for this phone today. Try again tomorrow.";
  }
}
