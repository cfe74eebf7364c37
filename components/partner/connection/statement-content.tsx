"use client";

import { Button } from "#components/ui/button.tsx";
import { buttonStyle } from "#components/ui/button-style.ts";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import type { NoPayments } from "#lib/partner/connections/seller-payments.ts";
import type { Statement } from "#lib/partner/connections/statement.ts";
import { useWords } from "#use-words";
import { SellerPaymentTable } from "./seller-payment-table.tsx";
import { PaymentsUnavailable } from "./seller-payments.tsx";

export function StatementContent({ name, statement }: { name: string; statement: Statement | NoPayments }) {
  const t = useWords("payments.statement");
  if (statement.kind !== "ok") return <PaymentsUnavailable kind={statement.kind} />;
  const { readAt, payments, arrivedCents, returnedCents, isComplete } = statement;
  if (payments.length === 0) return <EmptyState title={t("none")} />;
  return (
    <div className="flex flex-col gap-8">
      <p className="max-w-2xl text-lg text-ink-soft">
        {t.rich("lead", { name, time: () => <ClockTime at={readAt} isDated /> })}
      </p>
      <div className="flex flex-wrap gap-3 print:hidden">
        <Button className="noscript:hidden" onClick={() => window.print()}>
          {t("print")}
        </Button>
        {/* A file download, so it bypasses the router. */}
        <a href="/dashboard/payments/statement/file" download className={buttonStyle("secondary")}>
          {t("download")}
        </a>
      </div>
      <div className="max-w-md">
        <DescriptionList
          items={[
            { term: t("received"), details: <Money cents={arrivedCents} /> },
            { term: t("returned"), details: <Money cents={0 - returnedCents} /> },
            {
              term: t("total"),
              details: (
                <strong>
                  <Money cents={arrivedCents - returnedCents} />
                </strong>
              ),
            },
          ]}
        />
        {isComplete ? null : <p className="mt-3 text-ink-soft">{t("unknownAmounts")}</p>}
      </div>
      <SellerPaymentTable label={t("title")} payments={payments} isDated />
    </div>
  );
}
