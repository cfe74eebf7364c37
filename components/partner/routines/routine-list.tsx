import { Suspense } from "react";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { RoutineListPage, RoutineListQuery } from "#lib/partner/routines/list-routines.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { FoundRoutines } from "./found-routines.tsx";
import { searchOf } from "./list-address.ts";
import { ListSkeleton } from "./list-skeleton.tsx";
import { RoutineFilters } from "./routine-filters.tsx";

type ListProps = { query: RoutineListQuery /** On its way from the database. */; page: Promise<RoutineListPage> };

/** Every routine that Harbor created, newest first, by status and by words. */
export function RoutineList({ query, page }: ListProps) {
  return (
    <>
      <PageHeader
        title="Payments"
        description="What the business has paid its sellers, newest first."
        actions={<ButtonLink href="/routines/new">Pay a seller</ButtonLink>}
      />
      <RoutineFilters query={query} />
      <Suspense key={searchOf(query)} fallback={<ListSkeleton label="Looking for payments" />}>
        <Found query={query} page={page} />
      </Suspense>
    </>
  );
}

async function Found({ query, page }: ListProps) {
  return (
    <LiveProvider>
      <FoundRoutines query={query} initial={await page} />
    </LiveProvider>
  );
}
