import { useState } from "react";
import type { Money } from "#client";
import { dateText } from "#components/ui/date-text.ts";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { SellerPayment } from "#lib/partner/connections/seller-payments.ts";
import { useReaderLocale, useWords } from "#use-words";
import { Amount } from "../amount.tsx";
import { paymentLines } from "../payment-lines.ts";
import { toneOfMeaning, useStatusWords } from "../status-words.ts";

type SellerPaymentTableProps = {
  label: string;
  payments: SellerPayment[];
  /** Shows dates, as on paper, instead of relative times. */
  isDated?: boolean;
};

/** Animates new payments. */
export function SellerPaymentTable({ label, payments, isDated = false }: SellerPaymentTableProps) {
  const [first] = useState(() => new Set(payments.map(({ id }) => id)));
  const t = useWords("payments");
  const { titleOf, reasonOf } = usePaymentWords();
  return (
    <Table aria-label={label}>
      <Thead>
        <Tr>
          <Th>{t("columns.what")}</Th>
          <Th>{t(isDated ? "statement.date" : "columns.when")}</Th>
          <Th>{t("columns.status")}</Th>
          <Th align="right">{t("columns.amount")}</Th>
        </Tr>
      </Thead>
      <Tbody className={paymentLines.body}>
        {payments.map((payment) => (
          <Tr key={payment.id} className={`${paymentLines.row} ${first.has(payment.id) ? "" : "arrival"}`}>
            <Td className={paymentLines.what}>
              <TextLink href={addressOf(payment.id)} className="@max-lg:after:absolute @max-lg:after:inset-0">
                {titleOf(payment)}
              </TextLink>
              <Reason text={reasonOf(payment)} />
            </Td>
            <Td className={paymentLines.when}>
              <When at={payment.created_at} isDated={isDated} />
            </Td>
            <Td className={paymentLines.status}>
              <Outcome payment={payment} />
            </Td>
            <Td className={paymentLines.amount} align="right">
              <SellerAmount payment={payment} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function When({ at, isDated }: { at: string | undefined; isDated: boolean }) {
  const t = useWords("payments");
  const locale = useReaderLocale();
  if (at === undefined || Number.isNaN(Date.parse(at))) return t("unknownTime");
  if (!isDated) return <RelativeTime at={at} />;
  return <time dateTime={at}>{dateText(new Date(at), locale, { dateStyle: "medium", timeZone: "UTC" })}</time>;
}

function Reason({ text }: { text: string | undefined }) {
  return text ? <span className="block text-sm text-danger">{text}</span> : null;
}

/** The payment's outcome in words for the seller, not the service's. */
export function Outcome({ payment }: { payment: SellerPayment }) {
  const { outcomeOf } = usePaymentWords();
  const tone = payment.returned ? "warning" : toneOfMeaning(payment.meaning);
  return <StatusBadge tone={tone}>{outcomeOf(payment)}</StatusBadge>;
}

/** The payment's effect on the balance: a plus once it has arrived, a minus for a return. */
export function SellerAmount({ payment: { amount, meaning, returned } }: { payment: SellerPayment }) {
  return <Amount money={returned ? negative(amount) : amount} sign={meaning === "succeeded"} />;
}

function negative(money: Money): Money {
  return money.kind === "unknown" ? money : { ...money, cents: -money.cents };
}

export function addressOf(id: string): string {
  return `/dashboard/payments/${encodeURIComponent(id)}`;
}

/** How a seller's payment is described. */
export function usePaymentWords() {
  const t = useWords("payments");
  const statusWords = useStatusWords();
  return {
    titleOf({ routine_name, returned }: SellerPayment): string {
      return returned ? t("returnedPayment") : (routine_name ?? t("payment"));
    },
    outcomeOf({ meaning, returned }: SellerPayment): string {
      return t(`outcomes.${returned ? "returned" : meaning}`);
    },
    /** Why the money didn't arrive or was returned; otherwise undefined. */
    reasonOf(payment: SellerPayment): string | undefined {
      if (payment.returned) return statusWords(payment.returned.reason);
      return didNotArrive(payment) ? statusWords(payment.failure_reason ?? "no_reason") : undefined;
    },
  };
}

/** Whether a payment ended without the money arriving. */
export function didNotArrive({ meaning }: SellerPayment): boolean {
  return meaning === "failed" || meaning === "cancelled";
}
