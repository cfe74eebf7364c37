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

/** Whether Harbor may act for a user, and the two things to do about it. */
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

/** Why the service could not be worked with. `isAnswered`: it did answer, but with nothing that Harbor can use. */
export type ConnectionProblem =
  | { kind: "reauthorization_required" }
  | { kind: "unavailable"; isAnswered?: boolean | undefined };

/**
 * In the place of what only the service could have told: why it is not here, and what to do. Whatever the reason, nobody is
 * left with trying again only: a connection that is broken in a way that Harbor cannot see is mended by a new one.
 */
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
  /** Left out on pages that are about something else. Offered only while there may be something to end. */
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

/**
 * What to know after disconnecting from a service that cannot end an authorization. It hangs on the page's address: the form
 * that was sent is gone as soon as the page hears that nobody is connected.
 */
export function AccessDeletedNotice() {
  return (
    <Alert tone="warning" title={`${brandName} has deleted its access`}>
      <ServiceName /> can't end it right away. It ends within ten days, or sooner if you ask <ServiceName />.
    </Alert>
  );
}
