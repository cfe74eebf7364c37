"use client";

import { useQuery } from "@tanstack/react-query";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Timeline } from "#components/ui/timeline.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { toneOfStatus, wordsOf } from "../status-words.ts";
import { eventsOf } from "./routine-events.ts";

const refetchMs = 1000;

/** The routine and its transfer as Harbor's webhooks tell it, asked for again every second while it is under way. */
export function RoutineTracker({ initial }: { initial: RoutineView }) {
  const { data: routine, isError } = useQuery({
    queryKey: ["routine", initial.id],
    queryFn: () => fetchRoutine(initial.id),
    initialData: initial,
    refetchInterval: (query) => (query.state.data?.isOver ? false : refetchMs),
  });
  return (
    <>
      <PageHeader
        title={routine.name}
        description={
          <>
            <Money cents={routine.amountCents} /> to {routine.sellerName}
          </>
        }
        back={{ href: "/routines", label: "Routines" }}
      />
      <div className="flex flex-col gap-6">
        {isError ? (
          <Alert tone="warning" title="We have lost touch for a moment">
            What you see is the last we know. We keep asking.
          </Alert>
        ) : null}
        <Waiting routine={routine} />
        <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
          <Card title="What happened">
            <Timeline events={eventsOf(routine)} />
          </Card>
          <Card title="State">
            <DescriptionList items={factsOf(routine)} />
          </Card>
        </div>
      </div>
    </>
  );
}

function Waiting({ routine }: { routine: RoutineView }) {
  if (routine.status === "submitting") {
    return (
      <Alert tone="info" title="We are sending this payment">
        This takes a few seconds at most. You can leave this page.
      </Alert>
    );
  }
  if (routine.status === "unanswered") {
    return (
      <Alert tone="warning" title="We do not know yet whether this was paid">
        Plainbook's answer did not reach us, so the payment may have been made. Please do not pay it again: we are
        finding out, and this page tells as soon as we know. You can leave it.
        {routine.failureReason ? (
          <p className="mt-3">
            We have asked for two days. We no longer send it again and only look whether it turns up; please ask
            Plainbook about it before you pay once more.
          </p>
        ) : null}
      </Alert>
    );
  }
  if (!routine.failureReason) return null;
  if (routine.status === "refused") {
    return (
      <Alert tone="danger" title="This payment was not made">
        {wordsOf(routine.failureReason)}. No money moved.
      </Alert>
    );
  }
  return (
    <Alert tone="danger" title="This payment did not arrive">
      {wordsOf(routine.failureReason)}.
    </Alert>
  );
}

function factsOf(routine: RoutineView) {
  const { status, transferStatus, serviceRoutineId, transferId } = routine;
  return [
    { term: "Routine", details: <StatusBadge tone={toneOfStatus(status)}>{wordsOf(status)}</StatusBadge> },
    ...(transferStatus
      ? [
          {
            term: "Transfer",
            details: <StatusBadge tone={toneOfStatus(transferStatus)}>{wordsOf(transferStatus)}</StatusBadge>,
          },
        ]
      : []),
    ...(serviceRoutineId
      ? [{ term: "Routine id", details: <Copyable value={serviceRoutineId} label="routine id" /> }]
      : []),
    ...(transferId ? [{ term: "Transfer id", details: <Copyable value={transferId} label="transfer id" /> }] : []),
  ];
}

async function fetchRoutine(id: string): Promise<RoutineView> {
  const response = await fetch(`/routines/${id}/state`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`The routine's state was answered with ${response.status}.`);
  return response.json();
}
