import type { ReactNode } from "react";
import { PageHeader } from "#components/ui/page-header.tsx";
import { addressOfPayment, type PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { Choices, Choosable } from "./choices.tsx";
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

export function NewRoutine({ choices, idempotencyKey, prefilled, offer, pay, authorize }: NewRoutineProps) {
  const t = useWords("pay");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("one.title")} description={t("one.lead")} back={{ href: "/routines", label: t("back") }} />
      <Choices choices={choices} authorize={authorize} returnTo={addressOfPayment(prefilled, idempotencyKey)}>
        {(read) => (
          <Choosable choices={read} offer={offer}>
            <PaymentForm
              accounts={read.accounts}
              sellers={read.sellers}
              idempotencyKey={idempotencyKey}
              prefilled={prefilled}
              pay={pay}
            />
          </Choosable>
        )}
      </Choices>
    </div>
  );
}
