"use client";

import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { RoutineListPage, RoutineListQuery } from "#lib/partner/routines/routine-view.ts";
import { useWords } from "#use-words";
import { NoContact } from "../live/no-contact.tsx";
import { useLiveQuery } from "../live/use-live-query.ts";
import { searchOf } from "./list-address.ts";
import { RoutineTable } from "./routine-table.tsx";

export function FoundRoutines({ query, initial }: { query: RoutineListQuery; initial: RoutineListPage }) {
  const t = useWords("paid");
  const { data, isError } = useLiveQuery({ path: `/routines/state${searchOf(query)}`, topics: ["routines"], initial });
  const { routines, next, isPartial, attention } = data;
  const isNarrowed = searchOf(query) !== "";
  return (
    <>
      <div className="mb-6 flex flex-col gap-4 empty:hidden">
        {isError ? <NoContact /> : null}
        {isPartial ? <NotCompared /> : null}
        {attention > 0 && query.filter !== "attention" ? <NeedAttention count={attention} /> : null}
      </div>
      {routines.length > 0 ? (
        <RoutineTable label={t("title")} routines={routines} />
      ) : (
        <Nothing isNarrowed={isNarrowed} />
      )}
      <Pagination
        previousHref={query.before && `/routines${searchOf({ ...query, before: undefined })}`}
        previousLabel={t("newest")}
        nextHref={next && `/routines${searchOf({ ...query, before: next })}`}
      />
    </>
  );
}

function NotCompared() {
  const t = useWords("paid.notCompared");
  return (
    <Alert tone="info" title={t("title")}>
      {t("text")}
    </Alert>
  );
}

function NeedAttention({ count }: { count: number }) {
  const t = useWords("paid.attention");
  return (
    <Alert tone="warning" title={t("title", { count })}>
      {t.rich("text", {
        count,
        link: (label) => <TextLink href="/routines?status=attention">{label}</TextLink>,
      })}
    </Alert>
  );
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  const t = useWords("paid");
  if (isNarrowed) {
    return (
      <EmptyState title={t("noMatch.title")} action={<ButtonLink href="/routines">{t("noMatch.action")}</ButtonLink>}>
        {t("noMatch.text")}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("none.title")} action={<ButtonLink href="/routines/new">{t("paySeller")}</ButtonLink>}>
      {t("none.text")}
    </EmptyState>
  );
}
