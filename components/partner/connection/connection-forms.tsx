"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { useWords } from "#use-words";
import { ActionForm } from "../action-form.tsx";
import { FormProblems } from "../form-problems.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

export function AuthorizeForm({
  action,
  label,
  returnTo,
  variant = "primary",
}: {
  action: FormAction;
  label: string;
  /** Defaults to the page that the action belongs to. */
  returnTo?: string;
  variant?: "primary" | "secondary";
}) {
  const t = useWords("connection");
  const { state, run } = useFormAction(action);
  return (
    <ActionForm action={run} className="flex flex-col items-start gap-4">
      {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
      <FormProblems {...state} isShort />
      <SubmitButton variant={variant} pendingLabel={t("opening")}>
        {label}
      </SubmitButton>
    </ActionForm>
  );
}

export function DisconnectForm({ action, consequence }: { action: FormAction; consequence: string }) {
  const t = useWords("connection.disconnect");
  const [isAsking, setIsAsking] = useState(false);
  const { state, run, isPending } = useFormAction(action);
  return (
    <>
      <Button variant="danger" className="noscript:hidden" onClick={() => setIsAsking(true)}>
        {t("action")}
      </Button>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        isPending={isPending}
        title={t("title")}
        description={consequence}
      >
        <ActionForm action={run} className="flex flex-col gap-4 noscript:hidden">
          <FormProblems {...state} isShort />
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="secondary" onClick={() => setIsAsking(false)} disabled={isPending}>
              {t("keep")}
            </Button>
            <SubmitButton variant="danger" pendingLabel={t("pending")}>
              {t("confirm")}
            </SubmitButton>
          </div>
        </ActionForm>
      </Dialog>
      <ActionForm action={run} className="hidden flex-col items-start gap-3 noscript:flex">
        <FormProblems {...state} isShort />
        <p>{consequence}</p>
        <SubmitButton variant="danger">{t("action")}</SubmitButton>
      </ActionForm>
    </>
  );
}
