import { Alert } from "#components/ui/alert.tsx";
import { useWords } from "#use-words";

/** @param reason why it failed, if this is about a single payment */
export function FailedPaymentHelp({ reason }: { reason?: string }) {
  const t = useWords("payments.next");
  return reason ? (
    <Alert tone="danger" title={t("failed.title")}>
      {t("failed.text", { reason })}
    </Alert>
  ) : (
    <Alert tone="info" title={t("someFailed.title")}>
      {t("someFailed.text")}
    </Alert>
  );
}
