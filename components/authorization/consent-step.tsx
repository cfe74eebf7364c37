import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import type { VisitView } from "#lib/service/operations/visits/read-visit.ts";
import type { VisitActions } from "./visit-actions.ts";
import { VisitForm } from "./visit-form.tsx";

export type ConsentStepProps = {
  visitId: string;
  view: Extract<VisitView, { kind: "consent" }>;
  actions: VisitActions;
};

/** Asks for consent: which client, what it may do, which person. */
export function ConsentStep({ visitId, view, actions }: ConsentStepProps) {
  const { clientName, redirectHost } = view;
  return (
    <Card>
      <p className="eyebrow text-ink-soft">{clientName} asks for your consent</p>
      <h1 className="mt-2 text-2xl sm:text-3xl">Connect {clientName} with your Plainbook account?</h1>

      {view.isBeingChecked ? (
        <div className="mt-5">
          <Alert tone="success" title="We have what you sent and are checking it">
            You need not wait for that here.
          </Alert>
        </div>
      ) : null}

      <h2 className="mt-5 text-lg">{clientName} may then</h2>
      <ul className="mt-2 flex flex-col gap-1.5">
        {permissionsOf(view).map((permission) => (
          <li key={permission} className="flex gap-3">
            <svg viewBox="0 0 16 16" className="mt-1.5 size-4 shrink-0 text-accent" aria-hidden="true" fill="none">
              <path d="m2.5 8.5 3.5 3.5 7.5-8" stroke="currentColor" strokeWidth="1.8" />
            </svg>
            {permission}
          </li>
        ))}
      </ul>

      <div className="mt-6 border-y border-line py-4">
        <DescriptionList
          items={[
            {
              term: "You are",
              details: (
                <>
                  <p className="font-semibold">{view.personName}</p>
                  <p>{view.maskedPhone}</p>
                  <p>{view.maskedEmail}</p>
                </>
              ),
            },
          ]}
        />
      </div>

      <div className="mt-6 flex flex-col gap-3">
        <VisitForm visitId={visitId} action={actions.authorize}>
          <SubmitButton size="lg" pendingLabel="Authorizing…" className="w-full">
            Authorize
          </SubmitButton>
        </VisitForm>
        <VisitForm visitId={visitId} action={actions.cancel}>
          <SubmitButton variant="ghost" className="w-full">
            Cancel
          </SubmitButton>
        </VisitForm>
      </div>
      <p className="mt-5 text-sm text-ink-soft">
        Either way you return to <span className="wrap-anywhere">{redirectHost || clientName}</span>. You can end the
        connection there at any time.
      </p>
    </Card>
  );
}

function permissionsOf({ isBusiness }: ConsentStepProps["view"]): string[] {
  const reading = ["see your name, e-mail address, phone number and status", "see your accounts and their balances"];
  return isBusiness
    ? [...reading, "make transfers from your business's accounts"]
    : [...reading, "see the transfers that you receive"];
}
