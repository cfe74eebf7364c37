"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";
import { ConfirmationBox } from "./confirmation-box.tsx";

export function ArrivedForm({ action, routineId }: { action: FormAction; routineId: string }) {
  const t = useWords("resolve.made");
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  const error = errorOf("service_id");
  return (
    <ActionForm {...formProps} className="flex flex-col gap-4">
      <FormProblems {...state} isShort />
      <input type="hidden" name="routine_id" value={routineId} />
      <Field label={t("id")} htmlFor="service_id" hint={t("hint")} error={error}>
        <TextInput id="service_id" name="service_id" maxLength={200} invalid={error !== undefined} autoComplete="off" />
      </Field>
      <Button type="submit" className="self-start" pending={isPending}>
        {t(isPending ? "pending" : "button")}
      </Button>
    </ActionForm>
  );
}

export function EndForm({ action, routineId, label }: { action: FormAction; routineId: string; label: ReactNode }) {
  const t = useWords("resolve.end");
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  const error = errorOf("end");
  return (
    <ActionForm {...formProps} className="flex flex-col gap-5">
      <FormProblems {...state} />
      <input type="hidden" name="routine_id" value={routineId} />
      <fieldset
        id="end"
        tabIndex={-1}
        className="flex flex-col gap-3"
        aria-describedby={error ? "end-error" : undefined}
      >
        <legend className="mb-3 font-semibold">{t("question")}</legend>
        <EndChoice value="arrived" label={t("arrived")} hint={t("arrivedHint")} />
        <EndChoice value="not_arrived" label={t("notArrived")} hint={t("notArrivedHint")} />
        {error ? <FieldError id="end-error">{error}</FieldError> : null}
      </fieldset>
      <ConfirmationBox error={errorOf("confirmed")}>{label}</ConfirmationBox>
      <Button type="submit" className="self-start" pending={isPending}>
        {t("confirm")}
      </Button>
    </ActionForm>
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
  const { state, errorOf, isPending, formProps } = useFormAction(action);
  return (
    <ActionForm {...formProps} className="flex flex-col gap-4">
      <FormProblems {...state} isShort />
      <input type="hidden" name="routine_id" value={routineId} />
      <p>{risk}</p>
      <ConfirmationBox error={errorOf("confirmed")}>{label}</ConfirmationBox>
      <Button type="submit" variant="danger" className="self-start" pending={isPending}>
        {button}
      </Button>
    </ActionForm>
  );
}
