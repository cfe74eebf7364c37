import { Suspense } from "react";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import type { FormAction } from "../use-form-action.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { CardsSkeleton } from "./cards-skeleton.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { ConnectionTrouble } from "./connection-trouble.tsx";
import { PayoutsCard } from "./payouts-card.tsx";
import { UserCard } from "./user-card.tsx";

type ConnectionProps = {
  /** On its way from the service. */
  connected: Promise<ConnectedUser>;
  authorize: FormAction;
  disconnect: FormAction;
};

/** A seller's page: money first, then the record, then the connection. */
export function Dashboard({ firstName, ...connection }: ConnectionProps & { firstName: string }) {
  return (
    <>
      <PageHeader
        title="Dashboard"
        description={`Hello ${firstName}. This is how things stand at Plainbook right now.`}
      />
      <Suspense fallback={<CardsSkeleton label="Asking Plainbook" />}>
        <Cards {...connection} />
      </Suspense>
    </>
  );
}

async function Cards({ connected, authorize, disconnect }: ConnectionProps) {
  const answer = await connected;
  if (answer.kind !== "ok") {
    return <ConnectionTrouble kind={answer.kind} authorize={authorize} label="Authorize again" returnTo="/dashboard" />;
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[11fr_9fr]">
      <div className="flex min-w-0 flex-col gap-6">
        <AccountsCard accounts={answer.accounts} isApproved={answer.user.status === "approved"} />
        <PayoutsCard transfers={answer.transfers} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <UserCard title="Your record at Plainbook" user={answer.user} />
        <ConnectionCard
          connection={answer.connection}
          authorize={authorize}
          disconnect={disconnect}
          consequence="Harbor can then no longer see your account. Your money stays yours; you can connect again at any time."
        />
      </div>
    </div>
  );
}
