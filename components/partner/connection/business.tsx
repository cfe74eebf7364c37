import { Suspense } from "react";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import type { FormAction } from "../use-form-action.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { AuthorizeForm } from "./authorize-form.tsx";
import { CardsSkeleton } from "./cards-skeleton.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { ConnectionTrouble } from "./connection-trouble.tsx";
import { UserCard } from "./user-card.tsx";

type ConnectionProps = {
  /** On its way from the service. */
  connected: Promise<ConnectedUser>;
  authorize: FormAction;
  disconnect: FormAction;
};

/** The business's page: what pays the sellers. `connected` is undefined before an operator connects it. */
export function Business({
  connected,
  ...actions
}: Omit<ConnectionProps, "connected"> & { connected: ConnectionProps["connected"] | undefined }) {
  return (
    <>
      <PageHeader
        title="Business"
        description="The account that Harbor pays its sellers from."
        actions={connected ? <ButtonLink href="/routines/new">Pay a seller</ButtonLink> : null}
      />
      {connected ? (
        <Suspense fallback={<CardsSkeleton label="Asking Plainbook" />}>
          <Cards connected={connected} {...actions} />
        </Suspense>
      ) : (
        <Card
          title="Connect the business"
          description="You authorize once for Harbor as a business; any operator can then pay sellers."
        >
          <AuthorizeForm action={actions.authorize} label="Connect the business" />
        </Card>
      )}
    </>
  );
}

async function Cards({ connected, authorize, disconnect }: ConnectionProps) {
  const answer = await connected;
  if (answer.kind !== "ok") {
    return (
      <ConnectionTrouble kind={answer.kind} authorize={authorize} label="Connect the business" returnTo="/business" />
    );
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[11fr_9fr]">
      <AccountsCard accounts={answer.accounts} isApproved={answer.user.status === "approved"} />
      <div className="flex min-w-0 flex-col gap-6">
        <UserCard title="The business's record at Plainbook" user={answer.user} />
        <ConnectionCard
          connection={answer.connection}
          authorize={authorize}
          disconnect={disconnect}
          consequence="No operator can then pay a seller until the business is connected again."
        />
      </div>
    </div>
  );
}
