"use client";

import { Alert } from "#components/ui/alert.tsx";
import type { ConnectedUser } from "#lib/partner/connections/connected-users.ts";
import { isAwaitingDecision, isUnpayableUser } from "#lib/partner/statuses.ts";
import { useWords } from "#use-words";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { useStatusWords } from "../status-words.ts";
import type { FormAction } from "../use-form-action.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { ConnectionCard, ConnectionTrouble } from "./connection-card.tsx";
import { DeveloperData } from "./developer-data.tsx";
import { LastKnown, useLastKnown } from "./last-known.tsx";
import { PaymentsCard, usePaymentsAnnouncement } from "./payments-card.tsx";

type SellerOverviewProps = { initial: ConnectedUser; authorize: FormAction; disconnect: FormAction };

export function SellerOverview({ initial, authorize, disconnect }: SellerOverviewProps) {
  const t = useWords("dashboard");
  const label = useWords("connection")("authorizeAgain");
  const wordsOf = useStatusWords();
  const { data, isError } = useLiveQuery({
    path: "/dashboard/state",
    topics: ["user", "routines"],
    initial,
    isOpen: (connected) => connected.kind === "unavailable" || (connected.kind === "ok" && connected.mayLoad),
  });
  const { shown, isLastKnown } = useLastKnown(data);
  const news = useAnnouncement(shown, usePaymentsAnnouncement());
  if (shown.kind !== "ok") {
    return (
      <ConnectionTrouble
        problem={shown}
        authorize={authorize}
        disconnect={disconnect}
        label={label}
        consequence={t("disconnectConsequence")}
        returnTo="/dashboard"
      />
    );
  }
  const { readAt, user, accounts, transfers, connection } = shown;
  return (
    <div className="flex flex-col gap-6">
      <p role="status" className="sr-only">
        {news}
      </p>
      <LastKnown readAt={readAt} isLastKnown={isLastKnown} isError={isError} />
      {isUnpayableUser(user.status) ? (
        <Alert tone="warning" title={t("unpayable.title")}>
          {t("unpayable.text", { status: wordsOf(user.status) })}
        </Alert>
      ) : null}
      <div className="grid items-start gap-6 lg:grid-cols-[2fr_1fr]">
        <div className="flex min-w-0 flex-col gap-6">
          <AccountsCard
            accounts={accounts}
            readAt={readAt}
            isAwaiting={isAwaitingDecision(user.status)}
            note={t("balanceNote")}
          />
          <PaymentsCard transfers={transfers} />
        </div>
        <ConnectionCard
          connection={connection}
          authorize={authorize}
          disconnect={disconnect}
          consequence={t("disconnectConsequence")}
        />
      </div>
      <DeveloperData of="yours" user={user} connection={connection} />
    </div>
  );
}
