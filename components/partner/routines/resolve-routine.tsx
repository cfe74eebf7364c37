import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { useWords } from "#use-words";
import { useStatusWords } from "../status-words.ts";
import type { FormAction } from "../use-form-action.ts";
import { ArrivedForm, ConfirmedForm, EndForm } from "./resolve-forms.tsx";
import { endsOf } from "./routine-events.ts";

type ResolveProps = {
  payment: RoutineView;
  confirmArrived: FormAction;
  confirmNotCreated: FormAction;
  acknowledgeSecond: FormAction;
  confirmSendAgain: FormAction;
  confirmEnd: FormAction;
};

export function ResolveRoutine(props: ResolveProps) {
  const { payment } = props;
  const t = useWords("resolve");
  const facts = useFacts();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t("title")}
        description={t("lead")}
        back={{ href: `/routines/${payment.id}`, label: t("back") }}
      />
      <div className="flex flex-col gap-6">
        <Card title={t("facts.title")}>
          <DescriptionList items={facts(payment)} />
        </Card>
        <Resolutions {...props} />
      </div>
    </div>
  );
}

function Resolutions({
  payment,
  confirmArrived,
  confirmNotCreated,
  acknowledgeSecond,
  confirmSendAgain,
  confirmEnd,
}: ResolveProps) {
  const t = useWords("resolve");
  if (payment.secondServiceRoutineId !== null) {
    return (
      <Card title={t("twice.title")}>
        <ConfirmedForm
          action={acknowledgeSecond}
          routineId={payment.id}
          label={t("twice.label")}
          button={t("twice.button")}
          risk={t("twice.risk")}
        />
      </Card>
    );
  }
  if (payment.state === "missing") return <SendAgain payment={payment} action={confirmSendAgain} />;
  if (payment.state === "conflicting") {
    return (
      <Card title={t("end.title")} description={t("end.lead")}>
        <EndForm action={confirmEnd} routineId={payment.id} label={t("end.label")} />
      </Card>
    );
  }
  return (
    <>
      <Card title={t("made.title")}>
        <ArrivedForm action={confirmArrived} routineId={payment.id} />
      </Card>
      <Card title={t("notMade.title")}>
        <Nothing payment={payment} action={confirmNotCreated} />
      </Card>
    </>
  );
}

function SendAgain({ payment, action }: { payment: RoutineView; action: FormAction }) {
  const t = useWords("resolve.sendAgain");
  if (payment.isFound) return <p>{t("notOurs")}</p>;
  return (
    <Card title={t("title")}>
      <ConfirmedForm action={action} routineId={payment.id} label={t("label")} button={t("title")} risk={t("risk")} />
    </Card>
  );
}

function Nothing({ payment, action }: { payment: RoutineView; action: FormAction }) {
  const t = useWords("resolve.notMade");
  if (!payment.isHeld) return <p>{t("waiting")}</p>;
  return (
    <div className="flex flex-col gap-4">
      {payment.failureReason === "answer_not_understood" ? (
        <Alert tone="danger" title={t("successTitle")}>
          {t("success")}
        </Alert>
      ) : null}
      <ConfirmedForm action={action} routineId={payment.id} label={t("label")} button={t("button")} risk={t("risk")} />
    </div>
  );
}

function useFacts() {
  const t = useWords("resolve.facts");
  const paid = useWords("paid");
  const wordsOf = useStatusWords();
  const timeOf = (at: string | null) => (at === null ? t("unknownTime") : <RelativeTime at={at} />);
  return (payment: RoutineView) => {
    const { amountCents, sellerName, name, sourceId, destinationId, idempotencyKey, firstSentAt, lastSentAt } = payment;
    const { serviceRoutineId, secondServiceRoutineId, unansweredSends, state, possibleRecordIds } = payment;
    return [
      { term: t("amount"), details: <Money cents={amountCents} /> },
      { term: t("to"), details: sellerName || paid("unknownAccount") },
      { term: t("for"), details: name },
      ...(state === "conflicting"
        ? endsOf(payment.events).map(({ resource, status, occurredAt }) => ({
            term: t("reported", { what: resource }),
            details: t.rich("reportedAt", { status: wordsOf(status), time: () => <RelativeTime at={occurredAt} /> }),
          }))
        : []),
      { term: t("fromAccount"), details: <Copyable value={sourceId} label={t("copy.source")} /> },
      { term: t("toAccount"), details: <Copyable value={destinationId} label={t("copy.destination")} /> },
      { term: t("key"), details: <Copyable value={idempotencyKey} label={t("copy.key")} /> },
      { term: t("firstSent"), details: timeOf(firstSentAt) },
      { term: t("lastSent"), details: timeOf(lastSentAt) },
      ...(unansweredSends > 0 ? [{ term: t("unanswered"), details: String(unansweredSends) }] : []),
      ...possibleRecordIds.map((id) => ({
        term: t("possibleId"),
        details: <Copyable value={id} label={paid("page.copyPaymentId")} />,
      })),
      ...(serviceRoutineId
        ? [
            {
              term: paid("page.paymentId"),
              details: <Copyable value={serviceRoutineId} label={paid("page.copyPaymentId")} />,
            },
          ]
        : []),
      ...(secondServiceRoutineId
        ? [{ term: t("secondId"), details: <Copyable value={secondServiceRoutineId} label={t("copy.secondId")} /> }]
        : []),
    ];
  };
}
