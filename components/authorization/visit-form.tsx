import type { ReactNode } from "react";

export type VisitFormProps = {
  visitId: string;
  action: (form: FormData) => void | Promise<void>;
  className?: string;
  children: ReactNode;
};

/** A form on a visit's page that sends the visit's id along; works without JavaScript. */
export function VisitForm({ visitId, action, className, children }: VisitFormProps) {
  return (
    <form action={action} className={className}>
      <input type="hidden" name="visit" value={visitId} />
      {children}
    </form>
  );
}

/**
 * What a correction that was not taken is shown again with: the date of birth as it was typed. Never the ssn, and nothing of
 * it is kept anywhere.
 */
export type CorrectionState = { dateOfBirth: string };

/** What a person can do on a visit's pages, as server actions: each takes the form of the button that was pressed. */
export type VisitActions = Record<"verify" | "resend" | "authorize" | "cancel", (form: FormData) => Promise<void>> & {
  correct: (previous: CorrectionState, form: FormData) => Promise<CorrectionState>;
};
