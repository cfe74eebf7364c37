"use client";

import { type FormEvent, startTransition, useMemo, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useFillable } from "#components/sandbox/fillable.ts";
import { amountFor, paymentOutcomes } from "#components/sandbox/outcomes.ts";
import { Button } from "#components/ui/button.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { LongWait } from "#components/ui/long-wait.tsx";
import { Money } from "#components/ui/money.tsx";
import { type FormState, unsentForm } from "#lib/partner/requests/form-state.ts";
import type { Payment, PaymentInput } from "#lib/partner/routines/payment-fields.ts";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { lazyResolver, problemsOfErrors, schemaNotLoaded } from "../lazy-resolver.ts";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { ConfirmationBox } from "./confirmation-box.tsx";
import { type PaymentChoices, type PaymentField, PaymentInputs } from "./payment-inputs.tsx";

type PaymentFormProps = PaymentChoices & { idempotencyKey: string; prefilled: PrefilledPayment; pay: FormAction };

export function PaymentForm({ accounts, sellers, idempotencyKey, prefilled: wanted, pay }: PaymentFormProps) {
  const t = useWords("pay");
  const account = accounts.find(({ id }) => id === wanted.source_id) ?? accounts[0];
  // For a seller who isn't offered, the browser would choose the first one.
  const seller = sellers.find(({ userId }) => userId === wanted.seller_user_id);
  const prefilled = { ...wanted, source_id: account?.id ?? "", seller_user_id: seller?.userId ?? "" };
  const element = useRef<HTMLFormElement>(null);
  const { state, run, send, isPending } = useFormAction(pay);
  const lazy = useMemo(
    () =>
      lazyResolver(async () => (await import("#lib/partner/routines/payment-fields.ts")).paymentFieldsWithin(accounts)),
    [accounts],
  );
  const { register, handleSubmit, formState, getValues, setValue } = useForm<PaymentInput, unknown, Payment>({
    resolver: lazy.resolver,
    // The error summary takes the focus.
    shouldFocusError: false,
    defaultValues: {
      idempotency_key: idempotencyKey,
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
  // Client-side problems replace the server's.
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
    if (await lazy.load()) await reviewAnswers(event);
    else setFound(schemaNotLoaded());
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
    <ActionForm
      ref={element}
      action={run}
      onFocus={lazy.load}
      onSubmit={review}
      noValidate
      className="flex flex-col gap-6"
    >
      <FormProblems {...answer} />
      <input type="hidden" name="idempotency_key" value={idempotencyKey} />
      <PaymentInputs
        accounts={accounts}
        sellers={sellers}
        prefilled={prefilled}
        register={register}
        errorOf={errorOf}
      />
      {/* Without scripts there is no review step. */}
      <div className="hidden noscript:block">
        <ConfirmationBox error={errorOf("confirmed")}>{t("one.checked")}</ConfirmationBox>
      </div>
      <Button type="submit" size="lg" className="self-start">
        <span className="noscript:hidden">{t("review")}</span>
        <span className="hidden noscript:inline">{t("one.pay")}</span>
      </Button>
      <PaymentReview
        reviewed={reviewed}
        isPending={isPending}
        onClose={() => setReviewed(undefined)}
        onConfirm={confirm}
      />
    </ActionForm>
  );
}

/** What the review shows, in the operator's words. */
export type Reviewed = { account: string; seller: string; amountCents: number; name: string };

export function PaymentReview({
  reviewed,
  isPending,
  onClose,
  onConfirm,
}: {
  reviewed: Reviewed | undefined;
  isPending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const t = useWords("pay");
  return (
    <Dialog
      open={reviewed !== undefined}
      onClose={onClose}
      isPending={isPending}
      title={t("one.reviewTitle")}
      description={t("one.reviewLead")}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={isPending}>
            {t("one.change")}
          </Button>
          <Button onClick={onConfirm} pending={isPending}>
            {t("one.confirm")}
          </Button>
        </>
      }
    >
      {reviewed ? (
        <DescriptionList
          items={[
            { term: t("from"), details: reviewed.account },
            { term: t("one.to"), details: reviewed.seller },
            { term: t("one.amountTerm"), details: <Money cents={reviewed.amountCents} /> },
            { term: t("one.for"), details: reviewed.name },
          ]}
        />
      ) : null}
      {isPending ? <LongWait>{t("one.longWait")}</LongWait> : null}
    </Dialog>
  );
}
