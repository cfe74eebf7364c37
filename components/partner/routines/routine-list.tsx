import Link from "next/link";
import { Suspense } from "react";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Money } from "#components/ui/money.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { StatusBadge } from "#components/ui/status-badge.tsx";
import { Table, Tbody, Td, Th, Thead, Tr } from "#components/ui/table.tsx";
import type { RoutineListPage, RoutineListQuery } from "#lib/partner/routines/list-routines.ts";
import type { RoutineWithSeller } from "#lib/partner/storage/routines.ts";
import { toneOfStatus, wordsOf } from "../status-words.ts";
import { ListSkeleton } from "./list-skeleton.tsx";
import { RoutineFilters } from "./routine-filters.tsx";

type ListProps = { query: RoutineListQuery /** On its way from the database. */; page: Promise<RoutineListPage> };

/** Every routine that Harbor created, newest first, by status and by words. */
export function RoutineList({ query, page }: ListProps) {
  return (
    <>
      <PageHeader
        title="Routines"
        description="Each is one book transfer from the business to a seller."
        actions={<ButtonLink href="/routines/new">Pay a seller</ButtonLink>}
      />
      <RoutineFilters query={query} />
      <Suspense key={addressOf(query)} fallback={<ListSkeleton label="Looking for routines" />}>
        <Found query={query} page={page} />
      </Suspense>
    </>
  );
}

async function Found({ query, page }: ListProps) {
  const { routines, next } = await page;
  const isNarrowed = query.filter !== "all" || query.search !== "" || query.before !== undefined;
  return (
    <>
      {routines.length > 0 ? <RoutineTable routines={routines} /> : <Nothing isNarrowed={isNarrowed} />}
      <Pagination
        {...(query.before && { previousHref: addressOf({ ...query, before: undefined }), previousLabel: "Newest" })}
        {...(next && { nextHref: addressOf({ ...query, before: next }) })}
      />
    </>
  );
}

function RoutineTable({ routines }: { routines: RoutineWithSeller[] }) {
  return (
    <Table aria-label="Routines">
      <Thead>
        <Tr>
          <Th>Name</Th>
          <Th>Seller</Th>
          <Th>Created</Th>
          <Th>Status</Th>
          <Th align="right">Amount</Th>
        </Tr>
      </Thead>
      <Tbody>
        {routines.map((routine) => (
          <Tr key={routine.id}>
            <Td label="Name">
              <Link href={`/routines/${routine.id}`} className="font-semibold underline underline-offset-4">
                {routine.name}
              </Link>
            </Td>
            <Td label="Seller">{routine.sellerName}</Td>
            <Td label="Created">
              <RelativeTime at={routine.createdAt.toISOString()} />
            </Td>
            <Td label="Status">
              <StatusBadge tone={toneOfStatus(routine.status)}>{wordsOf(routine.status)}</StatusBadge>
            </Td>
            <Td label="Amount" align="right">
              <Money cents={routine.amountCents} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) {
    return (
      <EmptyState title="No routine fits" action={<ButtonLink href="/routines">Show all</ButtonLink>}>
        Try other words or another status.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No routine yet" action={<ButtonLink href="/routines/new">Pay a seller</ButtonLink>}>
      Pay a seller, and watch the money arrive here.
    </EmptyState>
  );
}

function addressOf({ filter, search, before }: RoutineListQuery): string {
  const query = new URLSearchParams();
  if (filter !== "all") query.set("status", filter);
  if (search) query.set("search", search);
  if (before) query.set("before", before);
  return query.size > 0 ? `/routines?${query}` : "/routines";
}
