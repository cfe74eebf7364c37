import { type ReactNode, Suspense } from "react";
import { brandName } from "#brand/name.ts";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { ConnectionTrouble } from "../connection/connection-card.tsx";
import { ServiceName } from "../service-name.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";
import { PaymentForm } from "./payment-form.tsx";

type NewRoutineProps = {
  choices: Promise<RoutineChoices>;
  idempotencyKey: string;
  prefilled: PrefilledPayment;
  /** Shown to an operator without sellers. */
  offer: ReactNode;
  pay: FormAction;
  authorize: FormAction;
};

export function NewRoutine(props: NewRoutineProps) {
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Pay a seller"
        description="Move money from the business to a seller's account."
        back={{ href: "/routines", label: "Payments" }}
      />
      <Suspense fallback={<ListSkeleton label="Looking for accounts" />}>
        <FormOrReason {...props} />
      </Suspense>
    </div>
  );
}

async function FormOrReason({ choices, idempotencyKey, prefilled, offer, pay, authorize }: NewRoutineProps) {
  const answer = await choices;
  if (answer.kind !== "ok") {
    return (
      <ConnectionTrouble problem={answer} authorize={authorize} label="Connect the business" returnTo="/routines/new" />
    );
  }
  if (answer.sellers.length === 0) {
    return (
      <>
        <EmptyState title="No seller can be paid yet">
          A seller appears here once they are approved and have authorized {brandName}.
        </EmptyState>
        {offer}
      </>
    );
  }
  if (answer.accounts.length === 0) {
    return (
      <EmptyState title="No account to pay from">
        <ServiceName /> shows no open account for the business. The Business page lists every account.
      </EmptyState>
    );
  }
  return (
    <Card>
      <PaymentForm
        accounts={answer.accounts}
        sellers={answer.sellers}
        idempotencyKey={idempotencyKey}
        prefilled={prefilled}
        pay={pay}
      />
    </Card>
  );
}
