import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import type { Connection } from "#lib/partner/connections/read-connected-user.ts";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";
import { AuthorizeForm, DisconnectForm } from "./connection-forms.tsx";

export function ConnectionCard({
  connection,
  authorize,
  disconnect,
  consequence,
}: {
  connection: Connection;
  authorize: FormAction;
  disconnect: FormAction;
  consequence: string;
}) {
  const isConnected = connection.kind === "connected";
  return (
    <Card
      title="Connection"
      description={
        <>
          {brandName}'s access to your account at <ServiceName />.
        </>
      }
      actions={
        isConnected ? (
          <StatusBadge tone="success">Connected</StatusBadge>
        ) : (
          <StatusBadge tone="warning">Not connected</StatusBadge>
        )
      }
    >
      <div className="flex flex-wrap items-start gap-3">
        <AuthorizeForm action={authorize} label="Authorize again" variant="secondary" />
        <DisconnectForm action={disconnect} consequence={consequence} />
      </div>
    </Card>
  );
}

/** `isAnswered`: the service answered with something unusable. */
export type ConnectionProblem =
  | { kind: "reauthorization_required" }
  | { kind: "unavailable"; isAnswered?: boolean | undefined };

/** Replaces data that could not be read. Always offers a new authorization, which fixes any broken connection. */
export function ConnectionTrouble({
  problem,
  authorize,
  disconnect,
  label,
  consequence,
  returnTo,
}: {
  problem: ConnectionProblem;
  authorize: FormAction;
  /** Offered only while there may be a connection to end. */
  disconnect?: FormAction;
  label: string;
  consequence?: string;
  returnTo: string;
}) {
  return (
    <Card {...textsOf(problem)}>
      <div className="flex flex-wrap items-start gap-3">
        {problem.kind === "unavailable" ? (
          <ButtonLink href={returnTo} variant="secondary">
            Try again
          </ButtonLink>
        ) : null}
        <AuthorizeForm
          action={authorize}
          label={label}
          returnTo={returnTo}
          variant={problem.kind === "unavailable" ? "secondary" : "primary"}
        />
        {disconnect && problem.kind === "unavailable" ? (
          <DisconnectForm action={disconnect} consequence={consequence ?? ""} />
        ) : null}
      </div>
    </Card>
  );
}

function textsOf(problem: ConnectionProblem): { title: ReactNode; description: string } {
  if (problem.kind === "reauthorization_required") {
    return {
      title: `${brandName} isn't connected`,
      description: `You haven't authorized ${brandName}, or your authorization has ended. Authorize ${brandName}, and you'll come right back here.`,
    };
  }
  if (problem.isAnswered) {
    return {
      title: (
        <>
          We can't use the answer from <ServiceName />
        </>
      ),
      description: `Nothing is lost. Try again in a minute. If that doesn't help, authorize ${brandName} again.`,
    };
  }
  return {
    title: (
      <>
        <ServiceName /> isn't answering right now
      </>
    ),
    description: "Nothing is lost. This usually clears up in a minute.",
  };
}

/** Shown after disconnecting from a service that can't revoke. Part of the page's address, because the form is gone by then. */
export function AccessDeletedNotice() {
  return (
    <Alert tone="warning" title={`${brandName} has deleted its access`}>
      <ServiceName /> can't end it right away. It ends within ten days, or sooner if you ask <ServiceName />.
    </Alert>
  );
}
