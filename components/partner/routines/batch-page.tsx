"use client";

import { Card } from "#components/ui/card.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { BatchView } from "#lib/partner/routines/batch-view.ts";
import { useWords } from "#use-words";
import { LiveProvider } from "../live/live-provider.tsx";
import { NoContact } from "../live/no-contact.tsx";
import { useLiveQuery } from "../live/use-live-query.ts";
import type { FormAction } from "../use-form-action.ts";
import { RetryBatchForm } from "./batch-buttons.tsx";
import { BatchTable } from "./batch-table.tsx";

type BatchPageProps = { initial: BatchView; retry: FormAction };

/** A confirmed batch, with results as they arrive. */
export function BatchPage(props: BatchPageProps) {
  return (
    <LiveProvider>
      <BatchResults {...props} />
    </LiveProvider>
  );
}

function BatchResults({ initial, retry }: BatchPageProps) {
  const t = useWords("pay");
  const { data: batch, isError } = useLiveQuery({
    path: `/routines/batch/${initial.id}/state`,
    topics: ["routines"],
    initial,
    isOpen: ({ waiting }) => waiting > 0,
  });
  const { id, payments, totalCents, confirmedAt, waiting, unmade } = batch;
  return (
    <>
      <PageHeader
        title={t("many.count", { count: payments.length })}
        description={
          confirmedAt ? (
            t.rich("many.amountConfirmed", {
              amount: () => <Money cents={totalCents} />,
              time: () => <ClockTime at={confirmedAt} />,
            })
          ) : (
            <Money cents={totalCents} />
          )
        }
        back={{ href: "/routines", label: t("back") }}
      />
      <div className="flex flex-col gap-6">
        {isError ? <NoContact /> : null}
        <p role="status" className="text-lg">
          <Progress batch={batch} />
        </p>
        {unmade > 0 && waiting === 0 ? <RetryBatchForm id={id} payments={unmade} action={retry} /> : null}
        <Card>
          <BatchTable payments={payments} />
        </Card>
      </div>
    </>
  );
}

function Progress({ batch: { payments, waiting, unmade } }: { batch: BatchView }) {
  const t = useWords("pay.many");
  const counts = { sent: String(payments.length - waiting - unmade), count: payments.length };
  if (waiting > 0) return t("sentWaiting", counts);
  return unmade > 0 ? t("sentUnmade", { ...counts, unmade }) : t("sent", counts);
}
