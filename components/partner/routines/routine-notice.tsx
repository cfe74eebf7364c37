import type { ReactNode } from "react";
import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { addressOfPayment } from "#lib/partner/routines/prefilled-payment.ts";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { ServiceName } from "../service-name.tsx";
import { wordsOf } from "../status-words.ts";
import { endsOf, nameOf } from "./routine-events.ts";

export function RoutineNotice({ routine }: { routine: RoutineView }) {
  return (
    <>
      {routine.secondServiceRoutineId ? <PaidTwice {...routine} secondId={routine.secondServiceRoutineId} /> : null}
      <Notice routine={routine} />
    </>
  );
}

function PaidTwice({ id, secondId }: { id: string; secondId: string }) {
  return (
    <Alert tone="danger" title="This may have been paid twice">
      <ServiceName /> has a second record of exactly this payment:{" "}
      <Copyable value={secondId} label="second payment ID" />. {brandName} sent the payment again with the same
      idempotency key, which its settings call safe. It won't resend any payment on its own until{" "}
      <TextLink href={`/routines/${id}/resolve`}>you've resolved this one</TextLink>.
    </Alert>
  );
}

function Notice({ routine }: { routine: RoutineView }): ReactNode {
  switch (routine.state) {
    case "submitting":
      return (
        <Alert tone="info" title="We're sending this payment">
          This takes a few seconds at most. You can leave this page.
        </Alert>
      );
    case "unanswered":
      return <NotKnown routine={routine} />;
    case "refused":
      return (
        <Alert tone="danger" title="This payment wasn't made">
          {wordsOf(routine.failureReason)}.{routine.isResolvedByPerson ? null : " No money moved."}
          <PayAgain routine={routine} />
        </Alert>
      );
    case "failed":
    case "cancelled":
      if (routine.confirmation) return <ConfirmedEnd routine={routine} confirmation={routine.confirmation} />;
      return (
        <Alert tone="danger" title="This payment didn't arrive">
          {wordsOf(routine.failureReason ?? routine.transferStatus ?? routine.status)}. The money is back in the account
          it came from.
          <PayAgain routine={routine} />
        </Alert>
      );
    case "succeeded":
      if (routine.confirmation) return <ConfirmedEnd routine={routine} confirmation={routine.confirmation} />;
      return routine.isFound ? <Found /> : null;
    case "missing":
      return <Missing routine={routine} />;
    case "conflicting":
      return <Conflicting routine={routine} />;
    default:
      return routine.isFound ? <Found /> : null;
  }
}

function Missing({ routine: { id, status, transferStatus, isFound } }: { routine: RoutineView }) {
  const last = transferStatus ?? status;
  return (
    <Alert
      tone="warning"
      title={
        <>
          <ServiceName /> doesn't recognize this payment
        </>
      }
    >
      {last && last !== "missing" ? <>Its last status was “{wordsOf(last)}”, but </> : null}
      <ServiceName /> has no record of it anymore, so the money may not have arrived. This can happen when{" "}
      <ServiceName /> is restored from a backup. Please don't start a new payment yet. If this one turns up again, we'll
      keep following it.
      {isFound ? null : (
        <p className="mt-3">
          Ask <ServiceName /> first. If it confirms that the payment is gone,{" "}
          <TextLink href={`/routines/${id}/resolve`}>send it again</TextLink>. It's sent only once, however often you
          press the button.
        </p>
      )}
    </Alert>
  );
}

function Conflicting({ routine }: { routine: RoutineView }) {
  const ends = endsOf(routine.events);
  return (
    <Alert tone="warning" title="This payment needs your review">
      <ServiceName /> reported different results:{" "}
      {ends.map(({ resource, status }) => `${nameOf(resource)} “${wordsOf(status)}”`).join(", then ")}. The money may
      have arrived, so please don't pay it again yet. Ask <ServiceName /> which result is right, then{" "}
      <TextLink href={`/routines/${routine.id}/resolve`}>record the answer</TextLink>.
      {routine.confirmation ? (
        <p className="mt-3">
          {routine.confirmation.by} confirmed a result on <ExactTime at={routine.confirmation.at} />, and another report
          came after that.
        </p>
      ) : null}
    </Alert>
  );
}

function ConfirmedEnd({
  routine,
  confirmation: { by, at },
}: {
  routine: RoutineView;
  confirmation: NonNullable<RoutineView["confirmation"]>;
}) {
  const isArrived = routine.state === "succeeded";
  return (
    <Alert
      tone={isArrived ? "success" : "danger"}
      title={isArrived ? "This payment arrived" : "This payment didn't arrive"}
    >
      <ServiceName /> had reported different results. {by} confirmed this one on <ExactTime at={at} />.
      {isArrived ? null : <PayAgain routine={routine} />}
    </Alert>
  );
}

function Found() {
  return (
    <Alert tone="info" title={`${brandName} has no record of sending this payment`}>
      We found it at <ServiceName />. It was made by another app, or before {brandName} was restored from a backup.
    </Alert>
  );
}

function PayAgain({ routine: { sellerUserId, amountCents, name } }: { routine: RoutineView }) {
  const again = { seller_user_id: sellerUserId, amount: (amountCents / 100).toFixed(2), name };
  return (
    <p className="mt-3">
      Once the seller's account is in order, <TextLink href={addressOfPayment(again)}>pay it again</TextLink>. We fill
      in the form, and nothing is sent until you review it.
    </p>
  );
}

function NotKnown({ routine }: { routine: RoutineView }) {
  return (
    <Alert tone="warning" title="We don't know yet whether this was paid">
      {routine.failureReason === "answer_not_understood" ? (
        <>
          <ServiceName /> answered with success but didn't say how to follow the payment. Most likely it was made.
        </>
      ) : (
        "We have no answer about this payment, so it may have been made."
      )}{" "}
      Please don't pay it again. {routine.isHeld ? "We keep looking for it" : "We're finding out"}, and this page
      updates as soon as we know.
      {routine.failureReason === "no_answer" ? <p className="mt-3">We've been asking for two days.</p> : null}
      {routine.failureReason === "not_listed" ? (
        <p className="mt-3">
          <ServiceName /> now refuses this payment and doesn't list it, but can't rule out that our first request still
          arrives.
        </p>
      ) : null}
      {routine.isHeld ? (
        <p className="mt-3">
          We won't send it again. Please ask <ServiceName /> about it before you pay again. If you know what happened,{" "}
          <TextLink href={`/routines/${routine.id}/resolve`}>record it here</TextLink>.
        </p>
      ) : null}
    </Alert>
  );
}
