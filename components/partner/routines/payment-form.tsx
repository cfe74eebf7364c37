"use client";

import { type FormEvent, startTransition, useMemo, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useFillable } from "#components/sandbox/fillable.ts";
import { amountFor, paymentOutcomes } from "#components/sandbox/outcomes.ts";
import { Button } from "#components/ui/button.tsx";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import type { Payment, PaymentInput } from "#lib/partner/routines/payment-fields.ts";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import { FormProblems } from "../form-problems.tsx";
import { lateCheck, notChecked, problemsOfErrors } from "../late-check.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { ConfirmationBox } from "./confirmation-box.tsx";
import { type PaymentChoices, type PaymentField, PaymentInputs } from "./payment-inputs.tsx";
import { PaymentReview, type Reviewed } from "./payment-review.tsx";

type PaymentFormProps = PaymentChoices & { idempotencyKey: string; prefilled: PrefilledPayment; pay: FormAction };

/**
 * Fill in, review, confirm. What was typed stays in the fields through all of it, and so does the idempotency key: sent
 * twice, it is one payment.
 */
export function PaymentForm({ accounts, sellers, idempotencyKey, prefilled, pay }: PaymentFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { state, run, send, isPending } = useFormAction(pay);
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
  // What this page found since the server's last answer, which it replaces.
  const [found, setFound] = useState<FormState>();
  const answer = found ?? state;
  const [reviewed, setReviewed] = useState<Reviewed>();

  function errorOf(name: PaymentField | "confirmed"): string | undefined {
    const mistake = name === "confirmed" ? undefined : formState.errors[name]?.message;
    return mistake ?? answer.problems.find(({ field }) => field === name)?.message;
  }

  const reviewAnswers = handleSubmit(
    ({ source_id, seller_user_id, amount, name }) => {
      setFound(unsentForm);
      setReviewed({
        account: accounts.find(({ id }) => id === source_id)?.label ?? "",
        seller: sellers.find(({ userId }) => userId === seller_user_id)?.name ?? "",
        amountCents: amount,
        name,
      });
    },
    (errors) => setFound({ problems: problemsOfErrors(errors) }),
  );

  async function review(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (await check.begin()) await reviewAnswers(event);
    else setFound(notChecked());
  }

  function confirm(): void {
    if (isPending || !element.current) return;
    const filledIn = new FormData(element.current);
    filledIn.set("confirmed", "yes");
    startTransition(() => {
      send(filledIn);
      setFound(undefined);
      setReviewed(undefined);
    });
  }

  return (
    <form ref={element} action={run} onFocus={check.begin} onSubmit={review} noValidate className="flex flex-col gap-6">
      <FormProblems {...answer} />
      <input type="hidden" name="idempotency_key" value={idempotencyKey} />
      <PaymentInputs
        accounts={accounts}
        sellers={sellers}
        prefilled={prefilled}
        register={register}
        errorOf={errorOf}
      />
      {/* Without scripts there is no review. */}
      <div className="hidden noscript:block">
        <ConfirmationBox error={errorOf("confirmed")}>
          I have checked this payment. The money moves as soon as I press Pay.
        </ConfirmationBox>
      </div>
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
