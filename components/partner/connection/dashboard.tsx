import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import { AccountsCard } from "./accounts-card.tsx";
import type { AuthorizeAction } from "./authorize-form.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { ConnectionTrouble } from "./connection-trouble.tsx";
import { PayoutsCard } from "./payouts-card.tsx";
import { UserCard } from "./user-card.tsx";

/** A seller's page: money first, then the record, then the connection. */
export function Dashboard({
  firstName,
  connected,
  authorize,
  disconnect,
}: {
  firstName: string;
  connected: ConnectedUser;
  authorize: AuthorizeAction;
  disconnect: (previous: string) => Promise<string>;
}) {
  return (
    <>
      <PageHeader
        title="Dashboard"
        description={`Hello ${firstName}. This is how things stand at Plainbook right now.`}
      />
      {connected.kind === "ok" ? (
        <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
          <div className="flex min-w-0 flex-col gap-6">
            <AccountsCard accounts={connected.accounts} />
            <PayoutsCard transfers={connected.transfers} />
          </div>
          <div className="flex min-w-0 flex-col gap-6">
            <UserCard user={connected.user} />
            <ConnectionCard
              connection={connected.connection}
              authorize={authorize}
              disconnect={disconnect}
              consequence="Harbor can then no longer see your account. Your money stays yours; you can connect again at any time."
            />
          </div>
        </div>
      ) : (
        <ConnectionTrouble kind={connected.kind} authorize={authorize} label="Authorize again" returnTo="/dashboard" />
      )}
    </>
  );
}
