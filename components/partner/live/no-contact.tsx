import { Alert } from "#components/ui/alert.tsx";
import { useWords } from "#use-words";

/** For a page that updates itself, when Harbor doesn't answer. */
export function NoContact() {
  const t = useWords("problems");
  return (
    <Alert tone="warning" title={t("noContactTitle")}>
      {t("noContact")}
    </Alert>
  );
}
