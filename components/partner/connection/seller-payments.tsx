"use client";

import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { NoPayments, SellerPayments } from "#lib/partner/connections/seller-payments.ts";
import { useWords } from "#use-words";
import { useLiveQuery } from "../live/use-live-query.ts";
import { LastKnown, useLastKnown } from "./last-known.tsx";
import { SellerPaymentTable } from "./seller-payment-table.tsx";
import { WeeksChart } from "./weeks-chart.tsx";

type SellerPaymentListProps = { initial: SellerPayments; after: string | undefined };

export function SellerPaymentList({ initial, after }: SellerPaymentListProps) {
  const t = useWords("payments");
  const { data, isError } = useLiveQuery({
    path: `/dashboard/payments/state${searchOf(after)}`,
    topics: ["user", "routines"],
    initial,
    isOpen: ({ kind }) => kind === "unavailable",
  });
  const { shown, isLastKnown } = useLastKnown(data);
  if (shown.kind !== "ok") return <PaymentsUnavailable kind={shown.kind} />;
  const { readAt, payments, next, weeks } = shown;
  return (
    <>
      <div className="mb-6 empty:hidden">
        <LastKnown readAt={readAt} isLastKnown={isLastKnown} isError={isError} />
      </div>
      {weeks ? <WeeksChart weeks={weeks} /> : null}
      {payments.length > 0 ? (
        <SellerPaymentTable label={t("title")} payments={payments} />
      ) : (
        <EmptyList after={after} />
      )}
      <Pagination
        previousHref={after ? "/dashboard/payments" : undefined}
        previousLabel={t("newest")}
        nextHref={next && `/dashboard/payments${searchOf(next)}`}
      />
    </>
  );
}

function EmptyList({ after }: { after: string | undefined }) {
  const t = useWords("payments");
  if (after) return <EmptyState title={t("end.title")}>{t("end.text")}</EmptyState>;
  return (
    <EmptyState title={t("none.title")} action={<ButtonLink href="/dashboard">{t("none.action")}</ButtonLink>}>
      {t("none.text")}
    </EmptyState>
  );
}

export function PaymentsUnavailable({ kind }: NoPayments) {
  const t = useWords("payments");
  const part = kind === "unavailable" ? "unavailable" : "notConnected";
  return (
    <Alert tone="warning" title={t(`${part}.title`)}>
      {t.rich(`${part}.text`, { link: (text) => <TextLink href="/dashboard">{text}</TextLink> })}
    </Alert>
  );
}

function searchOf(after: string | undefined): string {
  return after ? `?${new URLSearchParams({ after })}` : "";
}
