import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { DescriptionList } from "#components/ui/description-list.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { UnresolvedPayment } from "#lib/partner/routines/routine-view.ts";
import { ServiceName } from "../service-name.tsx";
import { wordsOf } from "../status-words.ts";
import type { FormAction } from "../use-form-action.ts";
import { ArrivedForm, ConfirmedForm, EndForm } from "./resolve-forms.tsx";
import { endsOf, nameOf } from "./routine-events.ts";

type ResolveProps = {
  payment: UnresolvedPayment;
  confirmArrived: FormAction;
  confirmNothing: FormAction;
  acknowledgeSecond: FormAction;
  confirmSendAgain: FormAction;
  confirmEnd: FormAction;
};

export function ResolveRoutine(props: ResolveProps) {
  const { payment } = props;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title="What happened to this payment?"
        description={
          <>
            {brandName} can't find out on its own. Ask <ServiceName />, or check its records, before you answer.
          </>
        }
        back={{ href: `/routines/${payment.id}`, label: "The payment" }}
      />
      <div className="flex flex-col gap-6">
        <Card title="What was sent">
          <DescriptionList items={factsOf(payment)} />
        </Card>
        <Ways {...props} />
      </div>
    </div>
  );
}

function Ways({
  payment,
  confirmArrived,
  confirmNothing,
  acknowledgeSecond,
  confirmSendAgain,
  confirmEnd,
}: ResolveProps) {
  if (payment.secondServiceRoutineId !== null) {
    return (
      <Card title="It was paid twice">
        <ConfirmedForm
          action={acknowledgeSecond}
          routineId={payment.id}
          label="One of the two was returned, or both should stay, and resending with the same key is safe."
          button="Allow resending again"
          risk={
            <>
              If <ServiceName /> doesn't recognize a repeated key, the next lost answer pays twice again. In that case,
              remove replays from PARTNER_SERVICE_FEATURES first.
            </>
          }
        />
      </Card>
    );
  }
  if (payment.state === "missing") return <SendAgain payment={payment} action={confirmSendAgain} />;
  if (payment.state === "conflicting") {
    return (
      <Card
        title="Which result is right?"
        description="Your answer stays on record with your name and the time. Nothing is paid again unless you start it."
      >
        <EndForm
          action={confirmEnd}
          routineId={payment.id}
          label={
            <>
              I asked <ServiceName />, and this is what it confirmed.
            </>
          }
        />
      </Card>
    );
  }
  return (
    <>
      <Card title="The payment was made">
        <ArrivedForm action={confirmArrived} routineId={payment.id} />
      </Card>
      <Card title="No payment was made">
        <Nothing payment={payment} action={confirmNothing} />
      </Card>
    </>
  );
}

function SendAgain({ payment, action }: { payment: UnresolvedPayment; action: FormAction }) {
  if (payment.isFound) {
    return (
      <p>{brandName} didn't send this payment, so it can't send it again. If it's still owed, start a new payment.</p>
    );
  }
  return (
    <Card title="Send it again">
      <ConfirmedForm
        action={action}
        routineId={payment.id}
        label={
          <>
            I asked <ServiceName />, and this payment needs to be sent again.
          </>
        }
        button="Send it again"
        risk={
          <>
            {brandName} checks with <ServiceName /> once more and then sends the payment with the same idempotency key.
            If <ServiceName /> only lost sight of it and doesn't recognize the key either, the seller is paid twice.
          </>
        }
      />
    </Card>
  );
}

function Nothing({ payment, action }: { payment: UnresolvedPayment; action: FormAction }) {
  if (!payment.isHeld) return <p>{brandName} is still finding out on its own. You don't need to do anything yet.</p>;
  return (
    <div className="flex flex-col gap-4">
      {payment.failureReason === "answer_not_understood" ? (
        <Alert
          tone="danger"
          title={
            <>
              <ServiceName /> answered this payment with success
            </>
          }
        >
          Most likely it was made.
        </Alert>
      ) : null}
      <ConfirmedForm
        action={action}
        routineId={payment.id}
        label={
          <>
            <ServiceName /> told me, or its records show, that no payment was made.
          </>
        }
        button="No payment was made"
        risk={`If the payment was made after all, paying again pays the seller twice, and ${brandName} can't take the money back. Even if there is no record yet, our request may still arrive.`}
      />
    </div>
  );
}

function factsOf(payment: UnresolvedPayment) {
  const { amountCents, sellerName, name, sourceId, destinationId, idempotencyKey, firstSentAt, lastSentAt } = payment;
  const { serviceRoutineId, secondServiceRoutineId, unansweredSends, state } = payment;
  const timeOf = (at: string | null) => (at === null ? "Unknown" : <RelativeTime at={at} />);
  return [
    { term: "Amount", details: <Money cents={amountCents} /> },
    { term: "To", details: sellerName || "Unknown account" },
    { term: "For", details: name },
    ...(state === "conflicting"
      ? endsOf(payment.events).map(({ resource, status, occurredAt }) => ({
          term: `${wordsOf(nameOf(resource))} reported as`,
          details: (
            <>
              {wordsOf(status)}, <RelativeTime at={occurredAt} />
            </>
          ),
        }))
      : []),
    { term: "From account", details: <Copyable value={sourceId} label="source account ID" /> },
    { term: "To account", details: <Copyable value={destinationId} label="receiving account ID" /> },
    { term: "Idempotency key", details: <Copyable value={idempotencyKey} label="idempotency key" /> },
    { term: "First sent", details: timeOf(firstSentAt) },
    { term: "Last sent", details: timeOf(lastSentAt) },
    ...(unansweredSends > 0 ? [{ term: "Requests without a clear answer", details: String(unansweredSends) }] : []),
    ...(serviceRoutineId
      ? [{ term: "Payment ID", details: <Copyable value={serviceRoutineId} label="payment ID" /> }]
      : []),
    ...(secondServiceRoutineId
      ? [{ term: "Second payment ID", details: <Copyable value={secondServiceRoutineId} label="second payment ID" /> }]
      : []),
  ];
}
