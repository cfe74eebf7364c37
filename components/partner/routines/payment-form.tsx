"use client";

import { type FormEvent, startTransition, useMemo, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { brandName } from "#brand/name.ts";
import { useFillable } from "#components/sandbox/fillable.ts";
import { amountFor, paymentOutcomes } from "#components/sandbox/outcomes.ts";
import { Button } from "#components/ui/button.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import type { FieldProblem } from "#lib/contract/errors.ts";
import { type FormState, problemAt, unsentForm } from "#lib/partner/requests/form-state.ts";
import type { Payment, PaymentInput } from "#lib/partner/routines/payment-fields.ts";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import { lateCheck } from "../late-check.ts";
import { problemsOfErrors } from "../problems-of-errors.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { PaymentConfirmation } from "./payment-confirmation.tsx";
import { type PaymentChoices, type PaymentField, PaymentInputs } from "./payment-inputs.tsx";
import { PaymentReview, type Reviewed } from "./payment-review.tsx";
import { PaymentTrouble } from "./payment-trouble.tsx";

type PaymentFormProps = PaymentChoices & { idempotencyKey: string; prefilled: PrefilledPayment; pay: FormAction };

const noAnswer = problemAt(
  "form",
  `${brandName} did not answer, so nothing was checked or paid. Please check your internet connection and try again.`,
);

/**
 * Fill in, review, confirm. What was typed stays in the fields through all of it, and so does the idempotency key: sent
 * twice, it is one payment.
 */
export function PaymentForm({ accounts, sellers, idempotencyKey, prefilled, pay }: PaymentFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { state, run, isPending } = useFormAction(pay);
  const check = useMemo(
    () => lateCheck(async () => (await import("./payment-check.ts")).checkPayment(accounts)),
    [accounts],
  );
  const { register, handleSubmit, formState, getValues, setValue } = useForm<PaymentInput, unknown, Payment>({
    resolver: check.resolver,
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
  const [silence, setSilence] = useState<FormState>();
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

  const reviewAnswers = handleSubmit(
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

  async function review(event: FormEvent): Promise<void> {
    event.preventDefault();
    const isChecked = await check.begin();
    setSilence(isChecked ? undefined : noAnswer);
    if (isChecked) await reviewAnswers(event);
  }

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
    <form ref={element} action={run} onFocus={check.begin} onSubmit={review} noValidate className="flex flex-col gap-6">
      <ErrorSummary problems={summary} />
      <PaymentTrouble {...(silence ?? answer)} />
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
