"use client";

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
import { useWords } from "#use-words";
import { Amount } from "../amount.tsx";
import { LiveProvider } from "../live/live-provider.tsx";
import { NoContact } from "../live/no-contact.tsx";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { toneOfMeaning, toneOfState, useStatusWords } from "../status-words.ts";
import { useRoutineEvents } from "./routine-events.ts";
import { RoutineNotice } from "./routine-notice.tsx";

export function RoutinePage({ initial }: { initial: RoutineView }) {
  return (
    <LiveProvider>
      <RoutineTracker initial={initial} />
    </LiveProvider>
  );
}

export function RoutineTracker({ initial }: { initial: RoutineView }) {
  const t = useWords("paid");
  const { eventsOf, announce } = useRoutineEvents();
  const facts = useFacts();
  const { data: routine, isError } = useLiveQuery({
    path: `/routines/${initial.id}/state`,
    topics: ["routines"],
    id: initial.id,
    initial,
    isOpen: ({ isOver }) => !isOver,
  });
  const news = useAnnouncement(routine, announce);
  return (
    <>
      <PageHeader
        title={routine.name}
        description={t.rich(routine.sellerName ? "page.toSeller" : "page.toUnknown", {
          amount: () => <Money cents={routine.amountCents} />,
          name: routine.sellerName,
        })}
        back={{ href: "/routines", label: t("title") }}
      />
      <div className="flex flex-col gap-6">
        {isError ? <NoContact /> : null}
        <p role="status" className="sr-only">
          {news}
        </p>
        <RoutineNotice routine={routine} />
        <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
          <Card title={t("page.whatHappened")}>
            <Timeline isExact events={eventsOf(routine)} />
          </Card>
          <Card title={t("page.status")}>
            <DescriptionList items={facts(routine)} />
          </Card>
          <RoutineBalances routine={routine} />
          <RoutineWebhooks webhooks={routine.webhooks} />
        </div>
      </div>
    </>
  );
}

function useFacts() {
  const t = useWords("paid");
  const wordsOf = useStatusWords();
  return (routine: RoutineView) => {
    const { state, status, transferStatus, meanings, serviceRoutineId, transferId } = routine;
    const isAtService = serviceRoutineId !== null || transferId !== null;
    // In these cases, Harbor's own status replaces the service's.
    const isOwn = state === "missing" || state === "conflicting" || routine.confirmation !== null;
    const routineTone = isAtService && !isOwn ? toneOfMeaning(meanings.routine) : toneOfState(state);
    const transferTone = isOwn ? toneOfState(state) : toneOfMeaning(meanings.transfer);
    return [
      { term: t("payment"), details: <StatusBadge tone={routineTone}>{wordsOf(status)}</StatusBadge> },
      ...(isAtService
        ? [
            {
              term: t("page.transfer"),
              details: <StatusBadge tone={transferTone}>{wordsOf(isOwn ? status : transferStatus)}</StatusBadge>,
            },
          ]
        : []),
      ...(serviceRoutineId
        ? [
            {
              term: t("page.paymentId"),
              details: <Copyable value={serviceRoutineId} label={t("page.copyPaymentId")} />,
            },
          ]
        : []),
      ...(transferId
        ? [{ term: t("page.transferId"), details: <Copyable value={transferId} label={t("page.copyTransferId")} /> }]
        : []),
    ];
  };
}

type Balance = RoutineView["balances"]["source_before"];

export function RoutineBalances({ routine: { balances, sellerName, isOver } }: { routine: RoutineView }) {
  const t = useWords("paid.balances");
  const payment = useWords("paid");
  const rows = [
    { who: t("business"), before: balances.source_before, after: balances.source_after },
    {
      who: sellerName || payment("unknownAccount"),
      before: balances.destination_before,
      after: balances.destination_after,
    },
  ];
  return (
    <Card title={t("title")} description={t("lead")}>
      <Table aria-label={t("title")}>
        <Thead>
          <Tr>
            <Th>{t("account")}</Th>
            <Th align="right">{t("before")}</Th>
            <Th align="right">{t("after")}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {rows.map(({ who, before, after }) => (
            <Tr key={who}>
              <Td label={t("account")}>{who}</Td>
              <Td label={t("before")} align="right">
                <BalanceCell balance={before} otherwise={t("unknown")} />
              </Td>
              <Td label={t("after")} align="right">
                <BalanceCell balance={after} otherwise={t(isOver ? "unknown" : "notYet")} />
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
  const t = useWords("paid.webhooks");
  const wordsOf = useStatusWords();
  return (
    <Card title={t("title")} description={t("lead")}>
      {webhooks.length === 0 ? (
        <p className="text-ink-soft">{t("none")}</p>
      ) : (
        <ol className="flex flex-col divide-y divide-line">
          {webhooks.map(({ id, type, outcome, duplicates, receivedAt }) => (
            <li
              key={id}
              className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-3 first:pt-0 last:pb-0"
            >
              <code className="font-mono text-sm break-all">{type || t("noType")}</code>
              <span className="text-sm text-ink-soft">
                <ExactTime at={receivedAt} />
              </span>
              <span className="flex w-full flex-wrap gap-2">
                <StatusBadge tone="success">{t("accepted")}</StatusBadge>
                <StatusBadge tone={outcome === "applied" ? "success" : "neutral"}>
                  {outcome === null ? t("applying") : wordsOf(outcome)}
                </StatusBadge>
                {duplicates > 0 ? (
                  <StatusBadge tone="info">{t("duplicates", { count: duplicates })}</StatusBadge>
                ) : null}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
