"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { FormProblems } from "../form-problems.tsx";
import { useServiceName } from "../service-name.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

export function AuthorizeForm({
  action,
  label,
  returnTo,
  variant = "primary",
}: {
  action: FormAction;
  label: string;
  /** Defaults to the action's own page. */
  returnTo?: string;
  variant?: "primary" | "secondary";
}) {
  const { state, run } = useFormAction(action);
  const serviceName = useServiceName();
  return (
    <form action={run} className="flex flex-col items-start gap-4">
      {returnTo ? <input type="hidden" name="return_to" value={returnTo} /> : null}
      <FormProblems {...state} isShort />
      <SubmitButton variant={variant} pendingLabel={`Opening ${serviceName}`}>
        {label}
      </SubmitButton>
    </form>
  );
}

export function DisconnectForm({ action, consequence }: { action: FormAction; consequence: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { state, run } = useFormAction(action);
  const serviceName = useServiceName();
  return (
    <>
      <Button variant="danger" className="noscript:hidden" onClick={() => setIsAsking(true)}>
        Disconnect
      </Button>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Disconnect from ${serviceName}?`}
        description={consequence}
      >
        <form action={run} className="flex flex-col gap-4 noscript:hidden">
          <FormProblems {...state} isShort />
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="secondary" onClick={() => setIsAsking(false)}>
              Keep it
            </Button>
            <SubmitButton variant="danger" pendingLabel="Disconnecting">
              Yes, disconnect
            </SubmitButton>
          </div>
        </form>
      </Dialog>
      <form action={run} className="hidden flex-col items-start gap-3 noscript:flex">
        <FormProblems {...state} isShort />
        <p>{consequence}</p>
        <SubmitButton variant="danger">Disconnect</SubmitButton>
      </form>
    </>
  );
}
