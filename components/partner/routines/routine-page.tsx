"use client";

import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import { Timeline } from "#components/ui/timeline.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { Amount } from "../amount.tsx";
import { LiveProvider } from "../live/live-provider.tsx";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { ServiceName } from "../service-name.tsx";
import { toneOfMeaning, toneOfState, wordsOf } from "../status-words.ts";
import { eventsOf, routineAnnouncement } from "./routine-events.ts";
import { RoutineNotice } from "./routine-notice.tsx";

export function RoutinePage({ initial }: { initial: RoutineView }) {
  return (
    <LiveProvider>
      <RoutineTracker initial={initial} />
    </LiveProvider>
  );
}

export function RoutineTracker({ initial }: { initial: RoutineView }) {
  const { data: routine, isError } = useLiveQuery({
    path: `/routines/${initial.id}/state`,
    topics: ["routines"],
    id: initial.id,
    initial,
    isOpen: ({ isOver }) => !isOver,
  });
  const news = useAnnouncement(routine, routineAnnouncement);
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
  // The service's statuses are in doubt or overruled.
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

type Balance = RoutineView["balances"]["source_before"];

export function RoutineBalances({ routine: { balances, sellerName, isOver } }: { routine: RoutineView }) {
  const rows = [
    { who: "The business", before: balances.source_before, after: balances.source_after },
    { who: sellerName || "Unknown account", before: balances.destination_before, after: balances.destination_after },
  ];
  return (
    <Card title="Balances" description="What each account held, and when that was read.">
      <Table aria-label="Balances">
        <Thead>
          <Tr>
            <Th>Account of</Th>
            <Th align="right">Before</Th>
            <Th align="right">After</Th>
          </Tr>
        </Thead>
        <Tbody>
          {rows.map(({ who, before, after }) => (
            <Tr key={who}>
              <Td label="Account of">{who}</Td>
              <Td label="Before" align="right">
                <BalanceCell balance={before} otherwise="Unknown" />
              </Td>
              <Td label="After" align="right">
                <BalanceCell balance={after} otherwise={isOver ? "Unknown" : "Not yet"} />
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </Card>
  );
}

function BalanceCell({ balance, otherwise }: { balance: Balance; otherwise: string }) {
  if (!balance) return <span className="text-ink-soft">{otherwise}</span>;
  return (
    <>
      <Amount money={balance.reported} />
      <span className="block text-sm text-ink-soft">
        <ExactTime at={balance.at} />
      </span>
    </>
  );
}

export function RoutineWebhooks({ webhooks }: Pick<RoutineView, "webhooks">) {
  return (
    <Card
      title="Webhooks"
      description={
        <>
          Events from <ServiceName /> about this payment, each verified.
        </>
      }
    >
      {webhooks.length === 0 ? (
        <p className="text-ink-soft">None yet.</p>
      ) : (
        <ol className="flex flex-col divide-y divide-line">
          {webhooks.map(({ id, type, outcome, duplicates, receivedAt }) => (
            <li
              key={id}
              className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-3 first:pt-0 last:pb-0"
            >
              <code className="font-mono text-sm break-all">{type || "No type"}</code>
              <span className="text-sm text-ink-soft">
                <ExactTime at={receivedAt} />
              </span>
              <span className="flex w-full flex-wrap gap-2">
                <StatusBadge tone="success">Accepted</StatusBadge>
                <StatusBadge tone={outcome === "applied" ? "success" : "neutral"}>
                  {outcome === null ? "Being applied" : wordsOf(outcome)}
                </StatusBadge>
                {duplicates > 0 ? (
                  <StatusBadge tone="info">
                    {duplicates === 1 ? "1 duplicate, ignored" : `${duplicates} duplicates, ignored`}
                  </StatusBadge>
                ) : null}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
