import { Alert } from "#components/ui/alert.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { useWords } from "#use-words";

type MissingSellersProps = Pick<RoutineChoices & { kind: "ok" }, "sellers" | "areSellersWhole">;

/** Says that no seller can be paid, or that some may be missing. Otherwise shows nothing. */
export function MissingSellers({ sellers, areSellersWhole }: MissingSellersProps) {
  const t = useWords("pay");
  if (!areSellersWhole) {
    return (
      <Alert tone="warning" title={t("unreadSellers.title")}>
        {t("unreadSellers.text")}
      </Alert>
    );
  }
  return sellers.length === 0 ? <EmptyState title={t("noSeller.title")}>{t("noSeller.text")}</EmptyState> : null;
}
