"use client";

import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ConnectedBusiness } from "#lib/partner/connections/connected-users.ts";
import type { RoutineListItem } from "#lib/partner/routines/routine-view.ts";
import { isAwaitingDecision } from "#lib/partner/statuses.ts";
import { useWords } from "#use-words";
import { useLiveQuery } from "../live/use-live-query.ts";
import { RoutineTable } from "../routines/routine-table.tsx";
import type { FormAction } from "../use-form-action.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { ConnectionCard, ConnectionTrouble } from "./connection-card.tsx";
import { DeveloperData } from "./developer-data.tsx";
import { LastKnown, useLastKnown } from "./last-known.tsx";

type BusinessOverviewProps = { initial: ConnectedBusiness; authorize: FormAction; disconnect: FormAction };

export function BusinessOverview({ initial, authorize, disconnect }: BusinessOverviewProps) {
  const t = useWords("business");
  const label = useWords("connection")("connectBusiness");
  const { data, isError } = useLiveQuery({
    path: "/business/state",
    topics: ["user", "routines"],
    initial,
    isOpen: ({ connected }) => connected.kind === "unavailable" || (connected.kind === "ok" && connected.mayLoad),
  });
  const { shown, isLastKnown } = useLastKnown(data.connected);
  if (shown.kind !== "ok") {
    return (
      <ConnectionTrouble
        problem={shown}
        authorize={authorize}
        disconnect={disconnect}
        label={label}
        consequence={t("disconnectConsequence")}
        who="operator"
        returnTo="/business"
      />
    );
  }
  const { readAt, user, accounts, connection } = shown;
  return (
    <div className="flex flex-col gap-6">
      <LastKnown readAt={readAt} isLastKnown={isLastKnown} isError={isError} />
      <div className="grid items-start gap-6 lg:grid-cols-[2fr_1fr]">
        <div className="flex min-w-0 flex-col gap-6">
          <AccountsCard accounts={accounts} readAt={readAt} isAwaiting={isAwaitingDecision(user.status)} />
          <RecentPayments payments={data.payments} />
        </div>
        <ConnectionCard
          connection={connection}
          authorize={authorize}
          disconnect={disconnect}
          consequence={t("disconnectConsequence")}
        />
      </div>
      <DeveloperData of="business" user={user} connection={connection} />
    </div>
  );
}

function RecentPayments({ payments }: { payments: RoutineListItem[] }) {
  const t = useWords("business.payments");
  return (
    <Card title={t("title")} actions={<TextLink href="/routines">{t("all")}</TextLink>}>
      {payments.length > 0 ? (
        <RoutineTable label={t("title")} routines={payments} />
      ) : (
        <EmptyState title={t("noneTitle")}>{t("none")}</EmptyState>
      )}
    </Card>
  );
}
