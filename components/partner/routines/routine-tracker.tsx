"use client";

import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Timeline } from "#components/ui/timeline.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { useLiveQuery } from "../live/use-live-query.ts";
import { useNews } from "../live/use-news.ts";
import { toneOfMeaning, toneOfState, wordsOf } from "../status-words.ts";
import { RoutineBalances } from "./routine-balances.tsx";
import { eventsOf, newsOfRoutine } from "./routine-events.ts";
import { RoutineNotice } from "./routine-notice.tsx";
import { RoutineWebhooks } from "./routine-webhooks.tsx";

/** The routine and its transfer as far as Harbor knows it, as things happen. */
export function RoutineTracker({ initial }: { initial: RoutineView }) {
  const { data: routine, isError } = useLiveQuery({
    path: `/routines/${initial.id}/state`,
    topics: ["routines"],
    id: initial.id,
    initial,
    isOpen: ({ isOver }) => !isOver,
  });
  const news = useNews(routine, newsOfRoutine);
  return (
    <>
      <PageHeader
        title={routine.name}
        description={
          <>
            <Money cents={routine.amountCents} /> to {routine.sellerName || "an unknown account"}
          </>
        }
        back={{ href: "/routines", label: "Payments" }}
      />
      <div className="flex flex-col gap-6">
        {isError ? (
          <Alert tone="warning" title={`We can't reach ${brandName} right now`}>
            This page shows the latest we have. We'll keep trying.
          </Alert>
        ) : null}
        <p role="status" className="sr-only">
          {news}
        </p>
        <RoutineNotice routine={routine} />
        <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
          <Card title="What happened">
            <Timeline events={eventsOf(routine)} />
          </Card>
          <Card title="Status">
            <DescriptionList items={factsOf(routine)} />
          </Card>
          <RoutineBalances routine={routine} />
          <RoutineWebhooks webhooks={routine.webhooks} />
        </div>
      </div>
    </>
  );
}

function factsOf(routine: RoutineView) {
  const { state, status, transferStatus, meanings, serviceRoutineId, transferId } = routine;
  const isAtService = serviceRoutineId !== null || transferId !== null;
  // What the service's own words say is in doubt, or overruled by a person.
  const isOwn = state === "missing" || state === "conflicting" || routine.confirmation !== null;
  const routineTone = isAtService && !isOwn ? toneOfMeaning(meanings.routine) : toneOfState(state);
  const transferTone = isOwn ? toneOfState(state) : toneOfMeaning(meanings.transfer);
  return [
    { term: "Payment", details: <StatusBadge tone={routineTone}>{wordsOf(status)}</StatusBadge> },
    ...(isAtService
      ? [
          {
            term: "Transfer",
            details: <StatusBadge tone={transferTone}>{wordsOf(isOwn ? status : transferStatus)}</StatusBadge>,
          },
        ]
      : []),
    ...(serviceRoutineId
      ? [{ term: "Payment ID", details: <Copyable value={serviceRoutineId} label="payment ID" /> }]
      : []),
    ...(transferId ? [{ term: "Transfer ID", details: <Copyable value={transferId} label="transfer ID" /> }] : []),
  ];
}
