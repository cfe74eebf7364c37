"use client";

import { Field } from "#components/ui/field.tsx";
import { Money } from "#components/ui/money.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { RoutineField } from "#lib/partner/routines/routine-form.ts";

export type RoutineChoicesProps = {
  accounts: { id: string; label: string; availableCents: number }[];
  sellers: { userId: string; name: string }[];
};

/** The four things that make a payment, each with its problem beside it. */
export function RoutineFields({
  accounts,
  sellers,
  errorOf,
}: RoutineChoicesProps & { errorOf: (field: RoutineField) => string | undefined }) {
  function fieldProps(id: RoutineField) {
    const error = errorOf(id);
    return { htmlFor: id, ...(error && { error }) };
  }
  return (
    <>
      <Field
        label="From"
        {...fieldProps("sourceId")}
        hint={accounts.map(({ id, label, availableCents }) => (
          <span key={id} className="block">
            {accounts.length > 1 ? `${label}: ` : null}
            <Money cents={availableCents} /> available
          </span>
        ))}
      >
        <Select id="sourceId" name="sourceId" required invalid={Boolean(errorOf("sourceId"))}>
          {accounts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Seller" {...fieldProps("sellerUserId")}>
        <Select
          id="sellerUserId"
          name="sellerUserId"
          required
          defaultValue=""
          invalid={Boolean(errorOf("sellerUserId"))}
        >
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
      <Field label="Amount in US dollars" {...fieldProps("amount")} hint="For example 120.50">
        <TextInput
          id="amount"
          name="amount"
          required
          inputMode="decimal"
          autoComplete="off"
          className="tabular-nums"
          invalid={Boolean(errorOf("amount"))}
        />
      </Field>
      <Field label="What it is for" {...fieldProps("name")} hint="The seller sees this.">
        <TextInput
          id="name"
          name="name"
          required
          autoComplete="off"
          maxLength={limits.routineNameCharactersMax}
          invalid={Boolean(errorOf("name"))}
        />
      </Field>
    </>
  );
}
