import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ConnectedUser } from "#lib/partner/connections/connected-users.ts";
import type { SellerPayment } from "#lib/partner/connections/seller-payments.ts";
import { useWords } from "#use-words";
import { useAmountText } from "../amount.tsx";
import { FailedPaymentHelp } from "./failed-payment-help.tsx";
import { didNotArrive, SellerPaymentTable, usePaymentWords } from "./seller-payment-table.tsx";

/** `transfers`: undefined if they couldn't be read. */
export function PaymentsCard({ transfers }: { transfers: SellerPayment[] | undefined }) {
  const t = useWords("dashboard.payments");
  return (
    <Card
      title={t("title")}
      description={t("lead")}
      actions={<TextLink href="/dashboard/payments">{t("all")}</TextLink>}
    >
      {transfers ? (
        <>
          <Payments transfers={transfers} />
          {transfers.some(didNotArrive) ? (
            <div className="mt-5">
              <FailedPaymentHelp />
            </div>
          ) : null}
        </>
      ) : (
        <Alert tone="info">{t("notLoaded")}</Alert>
      )}
    </Card>
  );
}

function Payments({ transfers }: { transfers: SellerPayment[] }) {
  const t = useWords("dashboard.payments");
  if (transfers.length === 0) return <EmptyState title={t("noneTitle")}>{t("none")}</EmptyState>;
  return <SellerPaymentTable label={t("title")} payments={transfers} />;
}

/** Announces each payment that is new or whose meaning changed; empty if none. */
export function usePaymentsAnnouncement(): (before: ConnectedUser, now: ConnectedUser) => string {
  const t = useWords("payments.news");
  const amountText = useAmountText();
  const { reasonOf } = usePaymentWords();

  function sentenceOf(payment: SellerPayment): string {
    const amount = amountText(payment.amount);
    if (payment.returned) return t("returned", { amount });
    const what = payment.routine_name ? t("what", { amount, name: payment.routine_name }) : amount;
    if (payment.meaning === "succeeded") return t("arrived", { what });
    const reason = reasonOf(payment);
    return reason ? t("failed", { what, reason }) : t("open", { what });
  }

  return (before, now) => {
    if (before.kind !== "ok" || now.kind !== "ok" || !before.transfers || !now.transfers) return "";
    const known = new Map(before.transfers.map(({ id, meaning }) => [id, meaning]));
    const changed = now.transfers.filter(({ id, meaning }) => known.get(id) !== meaning);
    const [account, ...others] = now.accounts?.items ?? [];
    const isBalanceNews = changed.some(({ meaning }) => meaning === "succeeded") && others.length === 0;
    return [
      ...changed.map(sentenceOf),
      ...(account && isBalanceNews ? [t("balance", { amount: amountText(account.current_balance) })] : []),
    ].join(" ");
  };
}
