import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { ServiceName } from "../service-name.tsx";
import type { FormAction } from "../use-form-action.ts";
import { AuthorizeForm } from "./authorize-form.tsx";
import { DisconnectForm } from "./disconnect-form.tsx";

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
      title: `${brandName} is not connected`,
      description: `You have not authorized ${brandName}, or the authorization has ended. Authorize ${brandName}, and you will come right back here.`,
    };
  }
  if (problem.isAnswered) {
    return {
      title: (
        <>
          <ServiceName /> answered, but not with what {brandName} needs
        </>
      ),
      description: `Nothing is lost. Try again in a minute. If that does not help, authorize ${brandName} again.`,
    };
  }
  return {
    title: (
      <>
        <ServiceName /> is not answering right now
      </>
    ),
    description: "Nothing is lost. This usually takes a minute to clear up.",
  };
}
