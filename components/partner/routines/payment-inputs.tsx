import { useState } from "react";
import type { UseFormRegister } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { Money } from "#components/ui/money.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { PaymentInput } from "#lib/partner/routines/payment-fields.ts";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";
import { useWords } from "#use-words";

export type PaymentChoices = {
  accounts: { id: string; label: string; availableCents: number | undefined }[];
  sellers: { userId: string; name: string }[];
};

/** The fields that the operator sees. */
export type PaymentField = Exclude<keyof PaymentInput, "idempotency_key">;

type PaymentInputsProps = PaymentChoices & {
  prefilled: PrefilledPayment;
  register: UseFormRegister<PaymentInput>;
  errorOf: (name: PaymentField) => string | undefined;
};

export function PaymentInputs({ accounts, sellers, prefilled, register, errorOf }: PaymentInputsProps) {
  const t = useWords("pay");
  const [name, setName] = useState(prefilled.name);
  const left = limits.routineNameCharactersMax - [...name].length;
  function controlProps(name: PaymentField) {
    return { id: name, ...register(name), required: true, invalid: errorOf(name) !== undefined };
  }
  return (
    <>
      <Field
        label={t("from")}
        htmlFor="source_id"
        error={errorOf("source_id")}
        hint={<AvailableAmounts accounts={accounts} />}
      >
        <Select {...controlProps("source_id")} defaultValue={prefilled.source_id}>
          {accounts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t("one.seller")} htmlFor="seller_user_id" error={errorOf("seller_user_id")}>
        <Select {...controlProps("seller_user_id")} defaultValue={prefilled.seller_user_id}>
          <option value="" disabled>
            {t("one.choose")}
          </option>
          {sellers.map(({ userId, name }) => (
            <option key={userId} value={userId}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t("one.amount")} htmlFor="amount" error={errorOf("amount")} hint={t("one.amountHint")}>
        <TextInput
          {...controlProps("amount")}
          defaultValue={prefilled.amount}
          inputMode="decimal"
          autoComplete="off"
          className="tabular-nums"
        />
      </Field>
      <Field label={t("one.what")} htmlFor="name" error={errorOf("name")} hint={t("one.whatHint")}>
        <TextInput
          {...controlProps("name")}
          {...register("name", { onChange: ({ target }) => setName(target.value) })}
          defaultValue={prefilled.name}
          autoComplete="off"
        />
        <p role="status" className="min-h-5 text-sm text-ink-soft tabular-nums">
          {left <= countedFrom ? t(left < 0 ? "one.tooMany" : "one.left", { count: Math.abs(left) }) : null}
        </p>
      </Field>
    </>
  );
}

// The counter appears once this few characters are left.
const countedFrom = 20;

export function AvailableAmounts({ accounts }: Pick<PaymentChoices, "accounts">) {
  const t = useWords("pay");
  return accounts.map(({ id, label, availableCents }) => (
    <span key={id} className="block">
      {availableCents === undefined
        ? t(accounts.length > 1 ? "availableUnknownIn" : "availableUnknown", { account: label })
        : t.rich(accounts.length > 1 ? "availableIn" : "available", {
            account: label,
            amount: () => <Money cents={availableCents} />,
          })}
    </span>
  ));
}
