import { Alert } from "#components/ui/alert.tsx";
import { useWords } from "#use-words";

/** Harbor didn't answer a page that updates itself. */
export function NoContact() {
  const t = useWords("problems");
  return (
    <Alert tone="warning" title={t("noContactTitle")}>
      {t("noContact")}
    </Alert>
  );
}
