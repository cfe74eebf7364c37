import { Money } from "#components/ui/money.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { BatchPaymentView } from "#lib/partner/routines/batch-view.ts";
import type { Sentences } from "#lib/partner/words/catalog.ts";
import { useWords } from "#use-words";
import { paymentLines } from "../payment-lines.ts";
import { toneOfState, useStatusWords } from "../status-words.ts";

export function BatchTable({ payments }: { payments: BatchPaymentView[] }) {
  const t = useWords("pay.many");
  return (
    <Table aria-label={t("payments")}>
      <Thead>
        <Tr>
          <Th>{t("columns.what")}</Th>
          <Th>{t("columns.seller")}</Th>
          <Th>{t("columns.line")}</Th>
          <Th>{t("columns.status")}</Th>
          <Th align="right">{t("columns.amount")}</Th>
        </Tr>
      </Thead>
      <Tbody className={paymentLines.body}>
        {payments.map((payment) => (
          <Tr key={payment.line} className={paymentLines.row}>
            <Td className={paymentLines.what}>
              <Purpose payment={payment} />
            </Td>
            <Td className={paymentLines.who}>
              {payment.sellerName} <span className="text-sm text-ink-soft">{payment.email}</span>
            </Td>
            <Td className={paymentLines.when}>
              <span className="@lg:hidden">{t("columns.line")} </span>
              {payment.line}
            </Td>
            <Td className={paymentLines.status}>
              <Status payment={payment} />
            </Td>
            <Td className={paymentLines.amount} align="right">
              <Money cents={payment.amountCents} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function Purpose({ payment: { name, routineId, otherRoutineId } }: { payment: BatchPaymentView }) {
  const id = routineId ?? otherRoutineId;
  return id ? <TextLink href={`/routines/${id}`}>{name}</TextLink> : name;
}

type Reason = keyof Sentences["pay"]["many"]["reasons"];

function Status({ payment: { state, reason, routineState, status } }: { payment: BatchPaymentView }) {
  const t = useWords("pay.many");
  const wordsOf = useStatusWords();
  const known = `reasons.${reason?.startsWith("twin_") ? "found" : reason}` as `reasons.${Reason}`;
  if (routineState !== null)
    return <StatusBadge tone={toneOfState(routineState, status)}>{wordsOf(status)}</StatusBadge>;
  if (state === "draft") return <StatusBadge tone="neutral">{t("notSent")}</StatusBadge>;
  if (state === "not_made") {
    return <StatusBadge tone="danger">{t.has(known) ? t(known) : wordsOf(reason)}</StatusBadge>;
  }
  return <StatusBadge tone="info">{t.has(known) ? t(known) : t("waiting")}</StatusBadge>;
}
