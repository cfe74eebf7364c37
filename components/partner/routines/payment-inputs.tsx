import type { UseFormRegister } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { Money } from "#components/ui/money.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { PaymentInput } from "#lib/partner/routines/payment-fields.ts";
import type { PrefilledPayment } from "#lib/partner/routines/prefilled-payment.ts";

export type PaymentChoices = {
  accounts: { id: string; label: string; availableCents: number | undefined }[];
  sellers: { userId: string; name: string }[];
};

/** The fields that an operator sees. */
export type PaymentField = Exclude<keyof PaymentInput, "idempotency_key">;

type PaymentInputsProps = PaymentChoices & {
  prefilled: PrefilledPayment;
  register: UseFormRegister<PaymentInput>;
  errorOf: (name: PaymentField) => string | undefined;
};

export function PaymentInputs({ accounts, sellers, prefilled, register, errorOf }: PaymentInputsProps) {
  function fieldProps(name: PaymentField) {
    const error = errorOf(name);
    return { htmlFor: name, ...(error && { error }) };
  }
  function controlProps(name: PaymentField) {
    return { id: name, ...register(name), required: true, invalid: errorOf(name) !== undefined };
  }
  return (
    <>
      <Field
        label="From"
        {...fieldProps("source_id")}
        hint={accounts.map(({ id, label, availableCents }) => (
          <span key={id} className="block">
            {accounts.length > 1 ? `${label}: ` : null}
            {availableCents === undefined ? "Available: unknown" : <Available cents={availableCents} />}
          </span>
        ))}
      >
        <Select {...controlProps("source_id")}>
          {accounts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Seller" {...fieldProps("seller_user_id")}>
        <Select {...controlProps("seller_user_id")} defaultValue={prefilled.seller_user_id}>
          <option value="" disabled>
            Choose a seller
          </option>
          {sellers.map(({ userId, name }) => (
            <option key={userId} value={userId}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Amount in US dollars" {...fieldProps("amount")} hint="For example 1,250.00">
        <TextInput
          {...controlProps("amount")}
          defaultValue={prefilled.amount}
          inputMode="decimal"
          autoComplete="off"
          className="tabular-nums"
        />
      </Field>
      <Field label="What it is for" {...fieldProps("name")} hint="The seller sees this.">
        <TextInput
          {...controlProps("name")}
          defaultValue={prefilled.name}
          autoComplete="off"
          maxLength={limits.routineNameCharactersMax}
        />
      </Field>
    </>
  );
}

function Available({ cents }: { cents: number }) {
  return (
    <>
      <Money cents={cents} /> available
    </>
  );
}
