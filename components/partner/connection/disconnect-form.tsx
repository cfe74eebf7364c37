"use client";

import { useState } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { SubmitButton } from "#components/ui/submit-button.tsx";
import { useServiceName } from "../service-name.tsx";
import { type FormAction, useFormAction } from "../use-form-action.ts";

type DisconnectFormProps = {
  action: FormAction;
  consequence: string;
  /** Whether there may be something to end. What it said about the last time stays either way. */
  isOffered?: boolean;
};

/** Ends the connection after asking once; says so when that was not possible, or only here. */
export function DisconnectForm({ action, consequence, isOffered = true }: DisconnectFormProps) {
  const [isAsking, setIsAsking] = useState(false);
  const { state, trouble, run } = useFormAction(action);
  const serviceName = useServiceName();
  if (state.news) {
    return (
      <div className="flex flex-col items-start gap-3" role="status">
        <p>{state.news}</p>
        {state.link ? (
          <ButtonLink href={state.link.href} variant="secondary">
            {state.link.label}
          </ButtonLink>
        ) : null}
      </div>
    );
  }
  if (!isOffered) return null;
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
          {trouble ? <Alert tone="danger">{trouble}</Alert> : null}
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
        {trouble ? <Alert tone="danger">{trouble}</Alert> : null}
        <p>{consequence}</p>
        <SubmitButton variant="danger">Disconnect</SubmitButton>
      </form>
    </>
  );
}
