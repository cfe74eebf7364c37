"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { startTransition, useMemo, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useFillable } from "#components/sandbox/fillable.ts";
import { amountFor, paymentOutcomes } from "#components/sandbox/outcomes.ts";
import { Button } from "#components/ui/button.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import type { FieldProblem } from "#lib/contract/errors.ts";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import { type Payment, type PaymentInput, paymentFieldsWithin } from "#lib/partner/routines/payment-fields.ts";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import { problemsOfErrors } from "../problems-of-errors.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { PaymentConfirmation } from "./payment-confirmation.tsx";
import { type PaymentChoices, type PaymentField, PaymentInputs } from "./payment-inputs.tsx";
import { PaymentReview, type Reviewed } from "./payment-review.tsx";
import { PaymentTrouble } from "./payment-trouble.tsx";

type PaymentFormProps = PaymentChoices & { idempotencyKey: string; prefilled: PrefilledPayment; pay: FormAction };

/**
 * Fill in, review, confirm. What was typed stays in the fields through all of it, and so does the idempotency key: sent
 * twice, it is one payment.
 */
export function PaymentForm({ accounts, sellers, idempotencyKey, prefilled, pay }: PaymentFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { state, run, isPending } = useFormAction(pay);
  const { register, handleSubmit, formState, getValues, setValue } = useForm<PaymentInput, unknown, Payment>({
    resolver: useMemo(() => zodResolver(paymentFieldsWithin(accounts)), [accounts]),
    // The summary takes the focus.
    shouldFocusError: false,
    defaultValues: {
      idempotency_key: idempotencyKey,
      source_id: accounts[0]?.id ?? "",
      ...prefilled,
    },
  });
  useFillable({
    label: "Fill it in",
    outcomes: paymentOutcomes,
    fill: (_made, outcome) => {
      const typed = getValues();
      setValue("seller_user_id", typed.seller_user_id || (sellers[0]?.userId ?? ""));
      setValue("amount", amountFor(/^\d+/.exec(typed.amount)?.[0] ?? "125", outcome));
      setValue("name", typed.name || "Sales of June");
      return undefined;
    },
  });
  const [mistakes, setMistakes] = useState<FieldProblem[]>([]);
  // What the server said stands until the next review.
  const [settled, setSettled] = useState<FormState>();
  const answer = state === settled ? unsentForm : state;
  const [reviewed, setReviewed] = useState<Reviewed>();

  const summary = useMemo(() => {
    const problems = mistakes.length > 0 ? mistakes : answer.problems;
    return problems.filter(({ field }) => field !== "form");
  }, [mistakes, answer]);

  function errorOf(name: PaymentField): string | undefined {
    return formState.errors[name]?.message ?? answer.problems.find(({ field }) => field === name)?.message;
  }

  const review = handleSubmit(
    ({ source_id, seller_user_id, amount, name }) => {
      setSettled(state);
      setMistakes([]);
      setReviewed({
        account: accounts.find(({ id }) => id === source_id)?.label ?? "",
        seller: sellers.find(({ userId }) => userId === seller_user_id)?.name ?? "",
        amountCents: amount,
        name,
      });
    },
    (errors) => {
      setSettled(state);
      setMistakes(problemsOfErrors(errors));
    },
  );

  function confirm(): void {
    if (isPending || !element.current) return;
    const filledIn = new FormData(element.current);
    filledIn.set("confirmed", "yes");
    startTransition(() => {
      run(filledIn);
      setReviewed(undefined);
    });
  }

  return (
    <form ref={element} action={run} onSubmit={review} noValidate className="flex flex-col gap-6">
      <ErrorSummary problems={summary} />
      <PaymentTrouble {...answer} />
      <input type="hidden" name="idempotency_key" value={idempotencyKey} />
      <PaymentInputs
        accounts={accounts}
        sellers={sellers}
        prefilled={prefilled}
        register={register}
        errorOf={errorOf}
      />
      <PaymentConfirmation error={answer.problems.find(({ field }) => field === "confirmed")?.message} />
      <Button type="submit" size="lg" className="self-start">
        <span className="noscript:hidden">Review</span>
        <span className="hidden noscript:inline">Pay</span>
      </Button>
      <PaymentReview
        reviewed={reviewed}
        isPending={isPending}
        onClose={() => setReviewed(undefined)}
        onConfirm={confirm}
      />
    </form>
  );
}
