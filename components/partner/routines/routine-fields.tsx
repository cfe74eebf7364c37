"use client";

import { Field } from "#components/ui/field.tsx";
import { Money } from "#components/ui/money.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { limits } from "#lib/contract/limits.ts";
import type { RoutineField } from "#lib/partner/routines/routine-form.ts";

export type RoutineChoicesProps = {
  accounts: { id: string; label: string; availableCents: number | undefined }[];
  sellers: { userId: string; name: string }[];
};

type Problems = Partial<Record<RoutineField, string>>;

const labels: Record<RoutineField, string> = {
  sourceId: "From",
  sellerUserId: "Seller",
  amount: "Amount in US dollars",
  name: "What it is for",
};

/** The problems as a summary tells them, away from their fields and in their order. */
export function summaryOf(problems: Problems = {}): { field: string; message: string }[] {
  return Object.entries(labels).flatMap(([field, label]) => {
    const message = problems[field as RoutineField];
    return message ? [{ field, message: `${label}: ${message}` }] : [];
  });
}

function Available({ cents }: { cents: number }) {
  return (
    <>
      <Money cents={cents} /> available
    </>
  );
}

/** The four things that make a payment, each with its problem beside it. */
export function RoutineFields({ accounts, sellers, problems }: RoutineChoicesProps & { problems: Problems }) {
  function fieldProps(id: RoutineField) {
    const error = problems[id];
    return { label: labels[id], htmlFor: id, ...(error && { error }) };
  }
  function controlProps(id: RoutineField) {
    return { id, name: id, required: true, invalid: problems[id] !== undefined };
  }
  return (
    <>
      <Field
        {...fieldProps("sourceId")}
        hint={accounts.map(({ id, label, availableCents }) => (
          <span key={id} className="block">
            {accounts.length > 1 ? `${label}: ` : null}
            {availableCents === undefined ? "Available: not known" : <Available cents={availableCents} />}
          </span>
        ))}
      >
        <Select {...controlProps("sourceId")}>
          {accounts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field {...fieldProps("sellerUserId")}>
        <Select {...controlProps("sellerUserId")} defaultValue="">
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
      <Field {...fieldProps("amount")} hint="For example 120.50">
        <TextInput {...controlProps("amount")} inputMode="decimal" autoComplete="off" className="tabular-nums" />
      </Field>
      <Field {...fieldProps("name")} hint="The seller sees this.">
        <TextInput {...controlProps("name")} autoComplete="off" maxLength={limits.routineNameCharactersMax} />
      </Field>
    </>
  );
}
