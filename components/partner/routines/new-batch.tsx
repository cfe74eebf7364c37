import { Card } from "#components/ui/card.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { BatchSummary } from "#lib/partner/routines/batch-view.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { type BatchDraft, BatchForm } from "./batch-form.tsx";
import { Choices, Choosable } from "./choices.tsx";

type NewBatchProps = {
  draft: BatchDraft;
  choices: Promise<RoutineChoices>;
  earlier: BatchSummary[];
  review: FormAction;
  authorize: FormAction;
};

export function NewBatch({ draft, choices, earlier, review, authorize }: NewBatchProps) {
  const t = useWords("pay");
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("many.title")} description={t("many.lead")} back={{ href: "/routines", label: t("back") }} />
      <div className="flex flex-col gap-6">
        <Choices choices={choices} authorize={authorize} returnTo={`/routines/batch?form=${draft.id}`}>
          {(read) => (
            <Choosable choices={read}>
              <BatchForm draft={draft} accounts={read.accounts} review={review} />
            </Choosable>
          )}
        </Choices>
        {earlier.length > 0 ? <EarlierBatches batches={earlier} /> : null}
      </div>
    </div>
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
