import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { VisitActions } from "./visit-actions.ts";
import { VisitForm } from "./visit-form.tsx";

/** The way back to the client from a step that asks for something. */
export function SubmissionCancel({ visitId, actions }: { visitId: string; actions: VisitActions }) {
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
