"use client";

import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { Timeline, type TimelineEvent } from "#components/ui/timeline.tsx";
import type { SellerPaymentView } from "#lib/partner/connections/seller-payments.ts";
import { useWords } from "#use-words";
import { Amount, useAmountText } from "../amount.tsx";
import { useAnnouncement, useLiveQuery } from "../live/use-live-query.ts";
import { toneOfMeaning } from "../status-words.ts";
import { FailedPaymentHelp } from "./failed-payment-help.tsx";
import { LastKnown, useLastKnown } from "./last-known.tsx";
import { addressOf, didNotArrive, Outcome, usePaymentWords } from "./seller-payment-table.tsx";
import { PaymentsUnavailable } from "./seller-payments.tsx";

export function SellerPaymentPage({ id, initial }: { id: string; initial: SellerPaymentView }) {
  const t = useWords("payments");
  const { titleOf } = usePaymentWords();
  const back = { href: "/dashboard/payments", label: t("title") };
  const { data, isError } = useLiveQuery({
    path: `${addressOf(id)}/state`,
    topics: ["routines"],
    initial,
    isOpen: (view) => view.kind !== "ok" || view.payment.meaning === "open",
  });
  const { shown, isLastKnown } = useLastKnown(data);
  const news = useAnnouncement(shown, usePaymentAnnouncement());
  if (shown.kind !== "ok") {
    return (
      <>
        <PageHeader title={t("payment")} back={back} />
        <PaymentsUnavailable kind={shown.kind} />
      </>
    );
  }
  return (
    <>
      <PageHeader title={<Amount money={shown.payment.amount} />} description={titleOf(shown.payment)} back={back} />
      <div className="flex flex-col gap-6">
        <p role="status" className="sr-only">
          {news}
        </p>
        <LastKnown readAt={shown.readAt} isLastKnown={isLastKnown} isError={isError} />
        <SellerPaymentDetails view={shown} />
      </div>
    </>
  );
}

type ShownPayment = Extract<SellerPaymentView, { kind: "ok" }>;

export function SellerPaymentDetails({ view }: { view: ShownPayment }) {
  const t = useWords("payments");
  const { payment, return: back } = view;
  // A returned payment shows its return.
  const last = back === undefined || back === "unknown" ? payment : back;
  return (
    <>
      <WhatNext view={view} />
      <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
        <Card title={t("page.whatHappened")}>
          <Timeline events={useEvents(view)} />
        </Card>
        <Card title={t("page.details")}>
          <DescriptionList
            items={[
              { term: t("columns.status"), details: <Outcome payment={last} /> },
              { term: t("page.id"), details: <Copyable value={payment.id} label={t("page.copyId")} /> },
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function WhatNext({ view: { payment, return: back } }: { view: ShownPayment }) {
  const t = useWords("payments.next");
  const { reasonOf } = usePaymentWords();
  const amountText = useAmountText();
  const { returned, meaning } = payment;
  if (returned) {
    return (
      <Alert tone="warning" title={t("isReturn.title")}>
        {t.rich("isReturn.text", { reason: reasonOf(payment) ?? "", link: linkTo(returned.transferId) })}
      </Alert>
    );
  }
  if (back === "unknown") {
    return (
      <Alert tone="info" title={t("unchecked.title")}>
        {t("unchecked.text")}
      </Alert>
    );
  }
  if (back) {
    const values = { reason: reasonOf(back) ?? "", amount: amountText(back.amount), link: linkTo(back.id) };
    return (
      <Alert tone="warning" title={t("takenBack.title")}>
        {t.rich("takenBack.text", values)}
      </Alert>
    );
  }
  if (didNotArrive(payment)) return <FailedPaymentHelp reason={reasonOf(payment)} />;
  const next = meaning === "succeeded" ? "arrived" : "open";
  return (
    <Alert tone={meaning === "succeeded" ? "success" : "info"} title={t(`${next}.title`)}>
      {t(`${next}.text`)}
    </Alert>
  );
}

function linkTo(id: string) {
  return (text: ReactNode) => <TextLink href={addressOf(id)}>{text}</TextLink>;
}

function useEvents({ payment, return: back }: ShownPayment): TimelineEvent[] {
  const t = useWords("payments.events");
  const { reasonOf } = usePaymentWords();
  const { meaning, created_at = "unknown", updated_at = "unknown", returned } = payment;
  if (returned) return [{ id: "returned", title: t("returned"), at: created_at, tone: "warning" }];
  const events: TimelineEvent[] = [{ id: "sent", title: t("sent"), at: created_at, tone: "neutral" }];
  if (meaning === "succeeded") {
    events.push({ id: "arrived", title: t("arrived"), at: updated_at, tone: "success" });
  } else if (meaning === "open") {
    events.push({ id: "arrived", title: t("arrives"), at: undefined, tone: "neutral" });
  } else {
    const ended = { at: updated_at, tone: toneOfMeaning(meaning), description: reasonOf(payment) };
    events.push({ id: "failed", title: t(meaning === "cancelled" ? "cancelled" : "failed"), ...ended });
  }
  if (!back || back === "unknown") return events;
  const { created_at: at = "unknown" } = back;
  return [...events, { id: "returned", title: t("returned"), at, tone: "warning", description: reasonOf(back) }];
}

function usePaymentAnnouncement(): (before: SellerPaymentView, now: SellerPaymentView) => string {
  const t = useWords("payments");
  const amountText = useAmountText();
  const { reasonOf } = usePaymentWords();
  return (before, now) => {
    if (before.kind !== "ok" || now.kind !== "ok") return "";
    if (typeof now.return === "object" && typeof before.return !== "object") return `${t("next.takenBack.title")}.`;
    if (before.payment.meaning === now.payment.meaning) return "";
    const what = amountText(now.payment.amount);
    return now.payment.meaning === "succeeded"
      ? t("news.arrived", { what })
      : t("news.failed", { what, reason: reasonOf(now.payment) ?? "" });
  };
}
