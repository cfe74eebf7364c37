import { type ReactNode, Suspense } from "react";
import { Alert } from "#components/ui/alert.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { RoutineChoices } from "#lib/partner/routines/routine-choices.ts";
import { words } from "#lib/partner/words/words.ts";
import { useWords } from "#use-words";
import { ConnectionTrouble } from "../connection/connection-card.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import type { FormAction } from "../use-form-action.ts";

export type ReadChoices = Extract<RoutineChoices, { kind: "ok" }>;

type ChoicesProps = {
  choices: Promise<RoutineChoices>;
  authorize: FormAction;
  returnTo: string;
  children: (choices: ReadChoices) => ReactNode;
};

/** Shows the accounts and sellers of a payment once they are read, or why they can't be. */
export function Choices(props: ChoicesProps) {
  const t = useWords("pay");
  return (
    <Suspense fallback={<ListSkeleton label={t("loading")} />}>
      <ChoicesOrTrouble {...props} />
    </Suspense>
  );
}

async function ChoicesOrTrouble({ choices, authorize, returnTo, children }: ChoicesProps) {
  const answer = await choices;
  if (answer.kind === "ok") return children(answer);
  return (
    <ConnectionTrouble
      problem={answer}
      authorize={authorize}
      label={words("connection")("connectBusiness")}
      returnTo={returnTo}
    />
  );
}

type ChoosableProps = {
  choices: ReadChoices;
  /** Shown if there are no sellers. */
  offer?: ReactNode;
  /** The form. */
  children: ReactNode;
};

/** The form in a card, unless there is no seller or no account. Also says if some sellers may be missing. */
export function Choosable({ choices: { sellers, accounts, areSellersWhole }, offer, children }: ChoosableProps) {
  const t = useWords("pay");
  const missing = areSellersWhole ? null : (
    <Alert tone="warning" title={t("unreadSellers.title")}>
      {t("unreadSellers.text")}
    </Alert>
  );
  if (sellers.length === 0) {
    return (
      <>
        {missing ?? <EmptyState title={t("noSeller.title")}>{t("noSeller.text")}</EmptyState>}
        {offer}
      </>
    );
  }
  if (accounts.length === 0) return <EmptyState title={t("noAccount.title")}>{t("noAccount.text")}</EmptyState>;
  return (
    <div className="flex flex-col gap-6">
      {missing}
      <Card>{children}</Card>
    </div>
  );
}
