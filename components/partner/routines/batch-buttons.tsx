"use client";

import type { ReactNode } from "react";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

type PayBatchFormProps = { id: string; digest: string; payments: number; action: FormAction; change: ReactNode };

export function PayBatchForm({ id, digest, payments, action, change }: PayBatchFormProps) {
  const t = useWords("pay.many");
  const { state, run } = useFormAction(action);
  return (
    <ActionForm action={run} className="flex flex-col gap-6">
      <FormProblems {...state} />
      <input type="hidden" name="batch_id" value={id} />
      <input type="hidden" name="digest" value={digest} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton pendingLabel={t("sending")}>{t("confirm", { count: payments })}</SubmitButton>
        {change}
      </div>
    </ActionForm>
  );
}

export function RetryBatchForm({ id, payments, action }: { id: string; payments: number; action: FormAction }) {
  const t = useWords("pay.many");
  const { state, run } = useFormAction(action);
  return (
    <ActionForm action={run} className="flex flex-col items-start gap-4">
      <FormProblems {...state} />
      <input type="hidden" name="batch_id" value={id} />
      <SubmitButton variant="secondary" pendingLabel={t("sending")}>
        {t("retry", { count: payments })}
      </SubmitButton>
    </ActionForm>
  );
}
