import type { ReactNode } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { addressOfPayment } from "#lib/partner/routines/prefilled-payment.ts";
import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { useWords } from "#use-words";
import { useStatusWords } from "../status-words.ts";
import { endsOf } from "./routine-events.ts";

export function RoutineNotice({ routine }: { routine: RoutineView }) {
  return (
    <>
      {routine.secondServiceRoutineId ? <PaidTwice {...routine} secondId={routine.secondServiceRoutineId} /> : null}
      <Notice routine={routine} />
    </>
  );
}

function PaidTwice({ id, secondId }: { id: string; secondId: string }) {
  const t = useWords("paid.notices.twice");
  return (
    <Alert tone="danger" title={t("title")}>
      {t.rich("text", {
        id: () => <Copyable value={secondId} label={t("copyId")} />,
        link: (label) => <TextLink href={`/routines/${id}/resolve`}>{label}</TextLink>,
      })}
    </Alert>
  );
}

function Notice({ routine }: { routine: RoutineView }): ReactNode {
  switch (routine.state) {
    case "submitting":
      return <Info about="sending" />;
    case "unanswered":
      return <NotKnown routine={routine} />;
    case "refused":
      return <NotPaid routine={routine} />;
    case "failed":
    case "cancelled":
      if (routine.confirmation) return <ConfirmedEnd routine={routine} confirmation={routine.confirmation} />;
      return <NotPaid routine={routine} />;
    case "succeeded":
      if (routine.confirmation) return <ConfirmedEnd routine={routine} confirmation={routine.confirmation} />;
      return routine.isFound ? <Info about="found" /> : null;
    case "missing":
      return <Missing routine={routine} />;
    case "conflicting":
      return <Conflicting routine={routine} />;
    default:
      return routine.isFound ? <Info about="found" /> : null;
  }
}

function Info({ about }: { about: "sending" | "found" }) {
  const t = useWords("paid.notices");
  return (
    <Alert tone="info" title={t(`${about}.title`)}>
      {t(`${about}.text`)}
    </Alert>
  );
}

/** Refused right away, or failed later. */
function NotPaid({ routine }: { routine: RoutineView }) {
  const { state, failureReason, transferStatus, status, isResolvedByPerson } = routine;
  const t = useWords("paid.notices");
  const wordsOf = useStatusWords();
  if (state === "refused") {
    return (
      <Alert tone="danger" title={t("refused.title")}>
        {t(isResolvedByPerson ? "refused.byPerson" : "refused.text", { reason: wordsOf(failureReason) })}
        <PayAgain routine={routine} />
      </Alert>
    );
  }
  return (
    <Alert tone="danger" title={t("failed.title")}>
      {t("failed.text", { reason: wordsOf(failureReason ?? transferStatus ?? status) })}
      <PayAgain routine={routine} />
    </Alert>
  );
}

function Missing({ routine: { id, status, transferStatus, isFound } }: { routine: RoutineView }) {
  const t = useWords("paid.notices.missing");
  const wordsOf = useStatusWords();
  const last = transferStatus ?? status;
  return (
    <Alert tone="warning" title={t("title")}>
      {last && last !== "missing" ? t("last", { status: wordsOf(last) }) : t("text")}
      {isFound ? null : (
        <p className="mt-3">
          {t.rich("sendAgain", { link: (label) => <TextLink href={`/routines/${id}/resolve`}>{label}</TextLink> })}
        </p>
      )}
    </Alert>
  );
}

function Conflicting({ routine: { id, events, confirmation } }: { routine: RoutineView }) {
  const t = useWords("paid.notices.conflicting");
  const wordsOf = useStatusWords();
  const results = endsOf(events).map(({ resource, status }) =>
    t("result", { what: resource, status: wordsOf(status) }),
  );
  return (
    <Alert tone="warning" title={t("title")}>
      {t.rich("text", {
        results: results.join(t("between")),
        link: (label) => <TextLink href={`/routines/${id}/resolve`}>{label}</TextLink>,
      })}
      {confirmation ? (
        <p className="mt-3">
          {t.rich("confirmed", { by: confirmation.by, time: () => <ExactTime at={confirmation.at} /> })}
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
  const t = useWords("paid.notices.confirmed");
  const isArrived = routine.state === "succeeded";
  return (
    <Alert tone={isArrived ? "success" : "danger"} title={t(isArrived ? "arrived" : "notArrived")}>
      {t.rich("text", { by, time: () => <ExactTime at={at} /> })}
      {isArrived ? null : <PayAgain routine={routine} />}
    </Alert>
  );
}

function PayAgain({ routine: { sourceId, sellerUserId, amountCents, name } }: { routine: RoutineView }) {
  const t = useWords("paid.notices");
  const amount = (amountCents / 100).toFixed(2);
  const prefilled = { source_id: sourceId, seller_user_id: sellerUserId, amount, name };
  return (
    <p className="mt-3">
      {t.rich("payAgain", { link: (label) => <TextLink href={addressOfPayment(prefilled)}>{label}</TextLink> })}
    </p>
  );
}

function NotKnown({ routine: { id, failureReason, isHeld, possibleRecordIds } }: { routine: RoutineView }) {
  const t = useWords("paid.notices.unanswered");
  const paid = useWords("paid");
  return (
    <Alert tone="warning" title={t("title")}>
      {t(failureReason === "answer_not_understood" ? "notUnderstood" : "noAnswer")}{" "}
      {t(isHeld ? "looking" : "findingOut")}
      {possibleRecordIds.map((recordId) => (
        <p key={recordId} className="mt-3">
          {t.rich("possible", { id: () => <Copyable value={recordId} label={paid("page.copyPaymentId")} /> })}
        </p>
      ))}
      {failureReason === "no_answer" ? <p className="mt-3">{t("twoDays")}</p> : null}
      {failureReason === "not_listed" ? <p className="mt-3">{t("notListed")}</p> : null}
      {isHeld ? (
        <p className="mt-3">
          {t.rich("ask", { link: (label) => <TextLink href={`/routines/${id}/resolve`}>{label}</TextLink> })}
        </p>
      ) : null}
    </Alert>
  );
}
