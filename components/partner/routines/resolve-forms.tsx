"use client";

import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { Field } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { ConfirmationBox } from "./confirmation-box.tsx";
import { PaymentTrouble } from "./payment-trouble.tsx";

/** Asks for the id of the record, which is looked up before it counts. */
export function ArrivedForm({ action, routineId }: { action: FormAction; routineId: string }) {
  const { state, errorOf, formProps } = useFormAction(action);
  const error = errorOf("service_id");
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <PaymentTrouble {...state} />
      <input type="hidden" name="routine_id" value={routineId} />
      <Field
        label="Its ID"
        htmlFor="service_id"
        hint={`The ID of the routine or of its transfer. ${brandName} looks it up and accepts it if it matches this payment.`}
        {...(error && { error })}
      >
        <TextInput id="service_id" name="service_id" maxLength={200} invalid={error !== undefined} autoComplete="off" />
      </Field>
      <SubmitButton className="self-start" pendingLabel="Looking it up">
        It arrived
      </SubmitButton>
    </form>
  );
}

type ConfirmedFormProps = { action: FormAction; routineId: string; label: ReactNode; button: string; risk: ReactNode };

/** Takes a person's word for it, once they have read what it may cost. */
export function ConfirmedForm({ action, routineId, label, button, risk }: ConfirmedFormProps) {
  const { state, errorOf, formProps } = useFormAction(action);
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <PaymentTrouble {...state} />
      <input type="hidden" name="routine_id" value={routineId} />
      <p>{risk}</p>
      <ConfirmationBox error={errorOf("confirmed")}>{label}</ConfirmationBox>
      <SubmitButton variant="danger" className="self-start">
        {button}
      </SubmitButton>
    </form>
  );
}
