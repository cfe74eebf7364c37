"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { startTransition, useMemo, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import type { FieldProblem } from "#lib/contract/errors.ts";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import { type Payment, type PaymentInput, paymentFieldsWithin } from "#lib/partner/routines/payment-fields.ts";
import { labelledProblems } from "../labelled-problems.ts";
import { problemsOfErrors } from "../problems-of-errors.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { type PaymentChoices, type PaymentField, PaymentInputs } from "./payment-inputs.tsx";
import { PaymentReview, type Reviewed } from "./payment-review.tsx";

type PaymentFormProps = PaymentChoices & { idempotencyKey: string; pay: FormAction };

/**
 * Fill in, review, confirm. What was typed stays in the fields through all of it, and so does the idempotency key: sent
 * twice, it is one payment.
 */
export function PaymentForm({ accounts, sellers, idempotencyKey, pay }: PaymentFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { state, run, isPending } = useFormAction(pay);
  const { register, handleSubmit, formState } = useForm<PaymentInput, unknown, Payment>({
    resolver: useMemo(() => zodResolver(paymentFieldsWithin(accounts)), [accounts]),
    // The summary takes the focus.
    shouldFocusError: false,
    defaultValues: {
      idempotency_key: idempotencyKey,
      source_id: accounts[0]?.id ?? "",
      seller_user_id: "",
      amount: "",
      name: "",
    },
  });
  const [mistakes, setMistakes] = useState<FieldProblem[]>([]);
  // What the server said stands until the next review.
  const [settled, setSettled] = useState<FormState>();
  const answer = state === settled ? unsentForm : state;
  const [reviewed, setReviewed] = useState<Reviewed>();

  const trouble = answer.problems.find(({ field }) => field === "form")?.message;
  const summary = useMemo(() => {
    const problems = mistakes.length > 0 ? mistakes : answer.problems;
    return labelledProblems(problems.filter(({ field }) => field !== "form"));
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
    startTransition(() => {
      run(filledIn);
      setReviewed(undefined);
    });
  }

  return (
    <form ref={element} action={run} onSubmit={review} noValidate className="flex flex-col gap-6">
      <ErrorSummary problems={summary} />
      {trouble ? <Alert tone="danger">{trouble}</Alert> : null}
      {answer.link ? (
        <ButtonLink href={answer.link.href} variant="secondary" className="self-start">
          {answer.link.label}
        </ButtonLink>
      ) : null}
      <input type="hidden" name="idempotency_key" value={idempotencyKey} />
      <PaymentInputs accounts={accounts} sellers={sellers} register={register} errorOf={errorOf} />
      <Button type="submit" size="lg" className="self-start">
        Review
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
