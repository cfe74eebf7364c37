import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { ClockTime } from "#components/ui/exact-time.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { BatchView } from "#lib/partner/routines/batch-view.ts";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { PayBatchForm } from "./batch-buttons.tsx";
import { BatchTable } from "./batch-table.tsx";
import { Choices, type ReadChoices } from "./choices.tsx";

type BatchReviewProps = { batch: BatchView; choices: Promise<RoutineChoices>; pay: FormAction; authorize: FormAction };

export function BatchReview({ batch, choices, pay, authorize }: BatchReviewProps) {
  const t = useWords("pay");
  const { sameAs } = batch;
  const change = { href: `/routines/batch?form=${batch.id}`, label: t("many.change") };
  return (
    <>
      <PageHeader
        title={t("many.reviewTitle", { count: batch.payments.length })}
        description={t("many.reviewLead")}
        back={change}
      />
      <div className="flex flex-col gap-6">
        {sameAs ? (
          <Alert tone="warning" title={t("many.sameTitle")}>
            {t.rich("many.same", {
              time: () => <ClockTime at={sameAs.confirmedAt} />,
              link: (label) => <TextLink href={`/routines/batch/${sameAs.id}`}>{label}</TextLink>,
            })}
          </Alert>
        ) : null}
        <Card>
          <BatchTable payments={batch.payments} />
        </Card>
        <Choices choices={choices} authorize={authorize} returnTo={`/routines/batch/${batch.id}`}>
          {({ accounts }) => <Confirmation batch={batch} accounts={accounts} pay={pay} />}
        </Choices>
      </div>
    </>
  );
}

function Confirmation({
  batch,
  accounts,
  pay,
}: Pick<BatchReviewProps, "batch" | "pay"> & Pick<ReadChoices, "accounts">) {
  const t = useWords("pay");
  const account = accounts.find(({ id }) => id === batch.sourceId);
  const missingCents = batch.totalCents - (account?.availableCents ?? batch.totalCents);
  const change = (
    <ButtonLink href={`/routines/batch?form=${batch.id}`} variant="secondary">
      {t("many.change")}
    </ButtonLink>
  );
  if (!account || missingCents > 0) {
    return (
      <>
        <Alert tone="warning" title={t(account ? "many.notEnoughTitle" : "many.noAccountTitle")}>
          {account
            ? t.rich("many.notEnough", { amount: () => <Money cents={missingCents} />, account: account.label })
            : t("many.noAccount")}
        </Alert>
        <div>{change}</div>
      </>
    );
  }
  return (
    <Card>
      <DescriptionList
        items={[
          { term: t("from"), details: account.label },
          { term: t("many.payments"), details: batch.payments.length },
          { term: t("many.total"), details: <Money cents={batch.totalCents} /> },
        ]}
      />
      <div className="mt-6">
        <PayBatchForm
          id={batch.id}
          digest={batch.digest}
          payments={batch.payments.length}
          action={pay}
          change={change}
        />
      </div>
    </Card>
  );
}
