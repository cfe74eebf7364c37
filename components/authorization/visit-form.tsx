import type { ReactNode } from "react";

export type VisitFormProps = {
  visitId: string;
  action: (form: FormData) => void | Promise<void>;
  className?: string;
  children: ReactNode;
};

export function VisitForm({ visitId, action, className, children }: VisitFormProps) {
  return (
    <form action={action} className={className}>
      <input type="hidden" name="visit" value={visitId} />
      {children}
    </form>
  );
}

/**
 * The date of birth as typed, to show again after an error. Never the SSN.
 */
export type CorrectionState = { dateOfBirth: string };

/** Server actions, each with the form of its button. */
export type VisitActions = Record<"verify" | "resend" | "authorize" | "cancel", (form: FormData) => Promise<void>> & {
  correct: (previous: CorrectionState, form: FormData) => Promise<CorrectionState>;
};
