"use client";

import { brandName } from "#brand/name.ts";
import { Alert } from "#components/ui/alert.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { RoutineListPage, RoutineListQuery } from "#lib/partner/routines/list-routines.ts";
import { useLiveQuery } from "../live/use-live-query.ts";
import { ServiceName } from "../service-name.tsx";
import { searchOf } from "./list-address.ts";
import { RoutineTable } from "./routine-table.tsx";

export function FoundRoutines({ query, initial }: { query: RoutineListQuery; initial: RoutineListPage }) {
  const { data } = useLiveQuery({ path: `/routines/state${searchOf(query)}`, topics: ["routines"], initial });
  const { routines, next, isPartial, attention } = data;
  const isNarrowed = searchOf(query) !== "";
  return (
    <>
      <div className="mb-6 flex flex-col gap-4 empty:hidden">
        {isPartial ? <NotCompared /> : null}
        {attention > 0 && query.filter !== "attention" ? <NeedAttention count={attention} /> : null}
      </div>
      {routines.length > 0 ? (
        <RoutineTable label="Payments" routines={routines} />
      ) : (
        <Nothing isNarrowed={isNarrowed} />
      )}
      <Pagination
        {...(query.before && {
          previousHref: `/routines${searchOf({ ...query, before: undefined })}`,
          previousLabel: "Newest",
        })}
        {...(next && { nextHref: `/routines${searchOf({ ...query, before: next })}` })}
      />
    </>
  );
}

function NotCompared() {
  return (
    <Alert tone="info" title="We can't check this list">
      <ServiceName /> doesn't offer a complete list of your payments. If {brandName} was restored from a backup, check
      with <ServiceName /> before you pay anyone.
    </Alert>
  );
}

function NeedAttention({ count }: { count: number }) {
  const them = count === 1 ? "it" : "them";
  return (
    <Alert
      tone="warning"
      title={count === 1 ? "1 payment needs your review" : `${count.toLocaleString("en-US")} payments need your review`}
    >
      <ServiceName /> doesn't recognize {them}, or reported different results.{" "}
      <TextLink href="/routines?status=attention">Review {them}</TextLink>
    </Alert>
  );
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) {
    return (
      <EmptyState title="No payments match" action={<ButtonLink href="/routines">Show all</ButtonLink>}>
        Try other words or another status.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No payments yet" action={<ButtonLink href="/routines/new">Pay a seller</ButtonLink>}>
      Pay a seller, and track the money here.
    </EmptyState>
  );
}
