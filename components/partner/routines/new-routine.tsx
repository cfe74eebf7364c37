import { type ReactNode, Suspense } from "react";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { addressOfPayment, type PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { words } from "#lib/partner/words/words.ts";
import { useWords } from "#use-words";
import { ConnectionTrouble } from "../connection/connection-card.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";
import { MissingSellers } from "./missing-sellers.tsx";
import { PaymentForm } from "./payment-form.tsx";

type NewRoutineProps = {
  choices: Promise<RoutineChoices>;
  idempotencyKey: string;
  prefilled: PrefilledPayment;
  /** Shown if the operator has no sellers. */
  offer: ReactNode;
  pay: FormAction;
  authorize: FormAction;
};

export function NewRoutine(props: NewRoutineProps) {
  const t = useWords("pay");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("one.title")} description={t("one.lead")} back={{ href: "/routines", label: t("back") }} />
      <Suspense fallback={<ListSkeleton label={t("loading")} />}>
        <FormOrReason {...props} />
      </Suspense>
    </div>
  );
}

async function FormOrReason({ choices, idempotencyKey, prefilled, offer, pay, authorize }: NewRoutineProps) {
  const t = words("pay");
  const answer = await choices;
  if (answer.kind !== "ok") {
    return (
      <ConnectionTrouble
        problem={answer}
        authorize={authorize}
        label={words("connection")("connectBusiness")}
        returnTo={addressOfPayment(prefilled, idempotencyKey)}
      />
    );
  }
  if (answer.sellers.length === 0) {
    return (
      <>
        <MissingSellers {...answer} />
        {offer}
      </>
    );
  }
  if (answer.accounts.length === 0) {
    return <EmptyState title={t("noAccount.title")}>{t("noAccount.text")}</EmptyState>;
  }
  return (
    <div className="flex flex-col gap-6">
      <MissingSellers {...answer} />
      <Card>
        <PaymentForm
          accounts={answer.accounts}
          sellers={answer.sellers}
          idempotencyKey={idempotencyKey}
          prefilled={prefilled}
          pay={pay}
        />
      </Card>
    </div>
  );
}
