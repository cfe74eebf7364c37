"use client";

import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ConnectedBusiness } from "#lib/partner/connections/read-connected-user.ts";
import { isAwaitingDecision } from "#lib/partner/connections/status-words.ts";
import type { RoutineListItem } from "#lib/partner/routines/list-routines.ts";
import { useLiveQuery } from "../live/use-live-query.ts";
import { RoutineTable } from "../routines/routine-table.tsx";
import type { FormAction } from "../use-form-action.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { ConnectionCard, ConnectionTrouble } from "./connection-card.tsx";
import { DeveloperData } from "./developer-data.tsx";
import { LastKnown, useLastKnown } from "./last-known.tsx";

const consequence = "Operators can't pay sellers until the business is connected again.";

type BusinessOverviewProps = { initial: ConnectedBusiness; authorize: FormAction; disconnect: FormAction };

export function BusinessOverview({ initial, authorize, disconnect }: BusinessOverviewProps) {
  const { data, isError } = useLiveQuery({
    path: "/business/state",
    topics: ["user", "routines"],
    initial,
    isOpen: ({ connected: { kind } }) => kind === "unavailable",
  });
  const { shown, isLastKnown } = useLastKnown(data.connected);
  if (shown.kind !== "ok") {
    return (
      <ConnectionTrouble
        problem={shown}
        authorize={authorize}
        disconnect={disconnect}
        label="Connect the business"
        consequence={consequence}
        returnTo="/business"
      />
    );
  }
  const { user, accounts, connection } = shown;
  return (
    <div className="flex flex-col gap-6">
      <LastKnown isShown={isLastKnown || isError} />
      <div className="grid items-start gap-6 lg:grid-cols-[2fr_1fr]">
        <div className="flex min-w-0 flex-col gap-6">
          <AccountsCard accounts={accounts} isAwaiting={isAwaitingDecision(user.status)} />
          <RecentPayments payments={data.payments} />
        </div>
        <ConnectionCard
          connection={connection}
          authorize={authorize}
          disconnect={disconnect}
          consequence={consequence}
        />
      </div>
      <DeveloperData title="The business's record" user={user} connection={connection} />
    </div>
  );
}

function RecentPayments({ payments }: { payments: RoutineListItem[] }) {
  return (
    <Card title="Recent payments" actions={<TextLink href="/routines">All payments</TextLink>}>
      {payments.length > 0 ? (
        <RoutineTable label="Recent payments" routines={payments} />
      ) : (
        <EmptyState title="No payments yet">Payments to your sellers appear here.</EmptyState>
      )}
    </Card>
  );
}
