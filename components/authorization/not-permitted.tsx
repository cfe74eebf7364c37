import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import type { VisitActions } from "./visit-actions.ts";
import { VisitForm } from "./visit-form.tsx";
import { VisitNotice } from "./visit-notice.tsx";

export type NotPermittedProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "not_permitted" }>;
  actions: VisitActions;
};

/** Tells a rejected or suspended person so, and leads back. */
export function NotPermitted({ visitId, view, actions }: NotPermittedProps) {
  const { clientName, status, reasons } = view;
  return (
    <VisitNotice
      title={status === "rejected" ? "We could not open an account for you" : "Your account is suspended"}
      action={
        <VisitForm visitId={visitId} action={actions.cancel}>
          <SubmitButton size="lg">Return to {clientName}</SubmitButton>
        </VisitForm>
      }
    >
      <p>
        {status === "rejected"
          ? "We checked your details and could not confirm who you are."
          : "You cannot authorize anything with it right now."}{" "}
        {clientName} cannot be connected.
      </p>
      {reasons.length > 0 ? (
        <ul className="list-disc pl-5">
          {reasons.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      ) : null}
    </VisitNotice>
  );
}
