"use client";

import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import { isAwaitingDecision, isUnpayableUser } from "#lib/partner/connections/status-words.ts";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { wordsOf } from "../status-words.ts";
import type { FormAction } from "../use-form-action.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { ConnectionCard, ConnectionTrouble } from "./connection-card.tsx";
import { DeveloperData } from "./developer-data.tsx";
import { LastKnown, useLastKnown } from "./last-known.tsx";
import { PaymentsCard, paymentsAnnouncement } from "./payments-card.tsx";

const consequence = `${brandName} will no longer see your account. Your money stays yours, and you can connect again anytime.`;

type SellerOverviewProps = { initial: ConnectedUser; authorize: FormAction; disconnect: FormAction };

export function SellerOverview({ initial, authorize, disconnect }: SellerOverviewProps) {
  const { data, isError } = useLiveQuery({
    path: "/dashboard/state",
    topics: ["user", "routines"],
    initial,
    isOpen: ({ kind }) => kind === "unavailable",
  });
  const { shown, isLastKnown } = useLastKnown(data);
  const news = useAnnouncement(shown, paymentsAnnouncement);
  if (shown.kind !== "ok") {
    return (
      <ConnectionTrouble
        problem={shown}
        authorize={authorize}
        disconnect={disconnect}
        label="Authorize again"
        consequence={consequence}
        returnTo="/dashboard"
      />
    );
  }
  const { user, accounts, transfers, connection } = shown;
  return (
    <div className="flex flex-col gap-6">
      <p role="status" className="sr-only">
        {news}
      </p>
      <LastKnown isShown={isLastKnown || isError} />
      {isUnpayableUser(user.status) ? (
        <Alert tone="warning" title={`${brandName} can't pay you right now`}>
          Your status is “{wordsOf(user.status)}”. {brandName} will pay you again once that changes.
        </Alert>
      ) : null}
      <div className="grid items-start gap-6 lg:grid-cols-[2fr_1fr]">
        <div className="flex min-w-0 flex-col gap-6">
          <AccountsCard accounts={accounts} isAwaiting={isAwaitingDecision(user.status)} />
          <PaymentsCard transfers={transfers} />
        </div>
        <ConnectionCard
          connection={connection}
          authorize={authorize}
          disconnect={disconnect}
          consequence={consequence}
        />
      </div>
      <DeveloperData title="Your record" user={user} connection={connection} />
    </div>
  );
}
