import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import type { AuthorizeAction } from "../connection/authorize-form.tsx";
import { ConnectionTrouble } from "../connection/connection-trouble.tsx";
import { type PayAction, RoutineForm } from "./routine-form.tsx";

/** Paying a seller: the form, or what must happen before there can be one. */
export function NewRoutine({
  choices,
  idempotencyKey,
  pay,
  authorize,
}: {
  choices: RoutineChoices;
  idempotencyKey: string;
  pay: PayAction;
  authorize: AuthorizeAction;
}) {
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Pay a seller"
        description="One book transfer, from the business to the seller's account."
        back={{ href: "/routines", label: "Routines" }}
      />
      {choices.kind !== "ok" ? (
        <ConnectionTrouble
          kind={choices.kind}
          authorize={authorize}
          label="Connect the business"
          returnTo="/routines/new"
        />
      ) : choices.sellers.length === 0 ? (
        <EmptyState title="No seller can be paid yet">
          A seller appears here once they are approved and have authorized Harbor.
        </EmptyState>
      ) : (
        <Card>
          <RoutineForm
            accounts={choices.accounts}
            sellers={choices.sellers}
            idempotencyKey={idempotencyKey}
            pay={pay}
          />
        </Card>
      )}
    </div>
  );
}
