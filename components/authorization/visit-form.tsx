import type { ComponentProps } from "react";
import { SubmitButton } from "#components/ui/submit-button.tsx";

export type VisitFormProps = ComponentProps<"form"> & {
  visitId: string;
  action: (form: FormData) => void | Promise<void>;
};

export function VisitForm({ visitId, children, ...rest }: VisitFormProps) {
  return (
    <form {...rest}>
      <input type="hidden" name="visit" value={visitId} />
      {children}
    </form>
  );
}

export function CancelForm({ visitId, action }: VisitFormProps) {
  return (
    <VisitForm visitId={visitId} action={action}>
      <SubmitButton variant="ghost" className="w-full">
        Cancel
      </SubmitButton>
    </VisitForm>
  );
}

/** The date of birth as typed, to show again after an error. Never the SSN. */
export type CorrectionState = { dateOfBirth: string };

/** Server actions, each called with the form of its button. */
export type VisitActions = Record<"verify" | "resend" | "authorize" | "cancel", (form: FormData) => Promise<void>> & {
  correct: (previous: CorrectionState, form: FormData) => Promise<CorrectionState>;
};
