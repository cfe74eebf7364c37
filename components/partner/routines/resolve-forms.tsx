"use client";

import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { Field, FieldError } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { ConfirmationBox } from "./confirmation-box.tsx";

export function ArrivedForm({ action, routineId }: { action: FormAction; routineId: string }) {
  const { state, errorOf, formProps } = useFormAction(action);
  const error = errorOf("service_id");
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormProblems {...state} isShort />
      <input type="hidden" name="routine_id" value={routineId} />
      <Field
        label="Payment ID or transfer ID"
        htmlFor="service_id"
        hint={`${brandName} looks it up, and accepts it if it matches this payment.`}
        {...(error && { error })}
      >
        <TextInput id="service_id" name="service_id" maxLength={200} invalid={error !== undefined} autoComplete="off" />
      </Field>
      <SubmitButton className="self-start" pendingLabel="Looking it up…">
        Look it up
      </SubmitButton>
    </form>
  );
}

export function EndForm({ action, routineId, label }: { action: FormAction; routineId: string; label: ReactNode }) {
  const { state, errorOf, formProps } = useFormAction(action);
  const error = errorOf("end");
  return (
    <form {...formProps} className="flex flex-col gap-5">
      <FormProblems {...state} />
      <input type="hidden" name="routine_id" value={routineId} />
      <fieldset
        id="end"
        tabIndex={-1}
        className="flex flex-col gap-3"
        aria-describedby={error ? "end-error" : undefined}
      >
        <legend className="mb-3 font-semibold">What happened to the money?</legend>
        <EndChoice
          value="arrived"
          label="The money arrived"
          hint="The payment is complete. It can't be paid again by mistake."
        />
        <EndChoice
          value="not_arrived"
          label="The money didn't arrive"
          hint="The payment is marked as failed. You can then pay it again."
        />
        {error ? <FieldError id="end-error">{error}</FieldError> : null}
      </fieldset>
      <ConfirmationBox error={errorOf("confirmed")}>{label}</ConfirmationBox>
      <SubmitButton className="self-start">Confirm</SubmitButton>
    </form>
  );
}

function EndChoice({ value, label, hint }: { value: string; label: string; hint: string }) {
  return (
    <label className="flex items-start gap-3">
      <input
        type="radio"
        name="end"
        value={value}
        className="mt-0.5 size-5 shrink-0"
        aria-describedby={`end-${value}-hint`}
      />
      <span>
        {label}
        <span id={`end-${value}-hint`} className="block text-sm text-ink-soft">
          {hint}
        </span>
      </span>
    </label>
  );
}

type ConfirmedFormProps = { action: FormAction; routineId: string; label: ReactNode; button: string; risk: ReactNode };

export function ConfirmedForm({ action, routineId, label, button, risk }: ConfirmedFormProps) {
  const { state, errorOf, formProps } = useFormAction(action);
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormProblems {...state} isShort />
      <input type="hidden" name="routine_id" value={routineId} />
      <p>{risk}</p>
      <ConfirmationBox error={errorOf("confirmed")}>{label}</ConfirmationBox>
      <SubmitButton variant="danger" className="self-start">
        {button}
      </SubmitButton>
    </form>
  );
}
