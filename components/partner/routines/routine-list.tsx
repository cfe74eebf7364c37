import { Suspense } from "react";
import { Button } from "#components/ui/button.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Field } from "#components/ui/field.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { RoutineFilterName, RoutineListPage, RoutineListQuery } from "#lib/partner/routines/list-routines.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import { FoundRoutines } from "./found-routines.tsx";
import { searchOf } from "./list-address.ts";

type ListProps = { query: RoutineListQuery /** On its way from the database. */; page: Promise<RoutineListPage> };

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

const names: Record<RoutineFilterName, string> = {
  all: "All",
  active: "Under way",
  attention: "Needs attention",
  completed: "Completed",
  failed: "Not completed",
};

export function RoutineFilters({ query }: { query: RoutineListQuery }) {
  return (
    <search>
      <form
        action="/routines"
        // A new address resets the fields.
        key={`${query.filter} ${query.search}`}
        className="mb-8 grid items-end gap-4 sm:grid-cols-[1fr_14rem_auto]"
      >
        <Field label="Search" htmlFor="search">
          <TextInput id="search" name="search" type="search" defaultValue={query.search} maxLength={100} />
        </Field>
        <Field label="Status" htmlFor="status">
          <Select id="status" name="status" defaultValue={query.filter}>
            {Object.entries(names).map(([filter, name]) => (
              <option key={filter} value={filter}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Button type="submit" variant="secondary">
          Show
        </Button>
      </form>
    </search>
  );
}
