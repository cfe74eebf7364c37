import { Suspense } from "react";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { BatchSummary } from "#lib/partner/routines/batch-view.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { words } from "#lib/partner/words/words.ts";
import { useWords } from "#use-words";
import { ConnectionTrouble } from "../connection/connection-card.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";
import { type BatchDraft, BatchForm } from "./batch-form.tsx";
import { MissingSellers } from "./missing-sellers.tsx";

type NewBatchProps = {
  draft: BatchDraft;
  choices: Promise<RoutineChoices>;
  earlier: BatchSummary[];
  review: FormAction;
  authorize: FormAction;
};

export function NewBatch({ earlier, ...form }: NewBatchProps) {
  const t = useWords("pay");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("many.title")} description={t("many.lead")} back={{ href: "/routines", label: t("back") }} />
      <div className="flex flex-col gap-6">
        <Suspense fallback={<ListSkeleton label={t("loading")} />}>
          <FormOrReason {...form} />
        </Suspense>
        {earlier.length > 0 ? <EarlierBatches batches={earlier} /> : null}
      </div>
    </div>
  );
}

async function FormOrReason({ draft, choices, review, authorize }: Omit<NewBatchProps, "earlier">) {
  const t = words("pay");
  const answer = await choices;
  if (answer.kind !== "ok") {
    const returnTo = `/routines/batch?form=${draft.id}`;
    return (
      <ConnectionTrouble
        problem={answer}
        authorize={authorize}
        label={words("connection")("connectBusiness")}
        returnTo={returnTo}
      />
    );
  }
  if (answer.sellers.length === 0) return <MissingSellers {...answer} />;
  if (answer.accounts.length === 0) {
    return <EmptyState title={t("noAccount.title")}>{t("noAccount.text")}</EmptyState>;
  }
  return (
    <>
      <MissingSellers {...answer} />
      <Card>
        <BatchForm draft={draft} accounts={answer.accounts} review={review} />
      </Card>
    </>
  );
}

function EarlierBatches({ batches }: { batches: BatchSummary[] }) {
  const t = useWords("pay.many");
  return (
    <Card title={t("earlier")}>
      <ul className="divide-y divide-line">
        {batches.map(({ id, confirmedAt, payments, totalCents }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4 py-3 first:pt-0 last:pb-0">
            <TextLink href={`/routines/batch/${id}`}>
              <ClockTime at={confirmedAt} />
            </TextLink>
            <span>{t.rich("countOf", { count: payments, amount: () => <Money cents={totalCents} /> })}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
