import { Suspense } from "react";
import { Button } from "#components/ui/button.tsx";
import { ButtonLink } from "#components/ui/button-link.tsx";
import { Field } from "#components/ui/field.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Select } from "#components/ui/select.tsx";
import { TextInput } from "#components/ui/text-input.tsx";
import type { RoutineFilterName, RoutineListPage, RoutineListQuery } from "#lib/partner/routines/routine-view.ts";
import { useWords } from "#use-words";
import { LiveProvider } from "../live/live-provider.tsx";
import { ListSkeleton } from "../skeletons.tsx";
import { FoundRoutines } from "./found-routines.tsx";
import { searchOf } from "./list-address.ts";

type ListProps = { query: RoutineListQuery; page: Promise<RoutineListPage> };

export function RoutineList({ query, page, isFilterable }: ListProps & { isFilterable: boolean }) {
  const t = useWords("paid");
  return (
    <>
      <PageHeader
        title={t("title")}
        description={t("lead")}
        actions={
          <>
            <ButtonLink href="/routines/new">{t("paySeller")}</ButtonLink>
            <ButtonLink href="/routines/batch" variant="secondary">
              {t("payMany")}
            </ButtonLink>
          </>
        }
      />
      {isFilterable ? <RoutineFilters query={query} /> : null}
      <Suspense key={searchOf(query)} fallback={<ListSkeleton label={t("loading")} />}>
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

const filters: RoutineFilterName[] = ["all", "active", "attention", "completed", "failed"];

export function RoutineFilters({ query }: { query: RoutineListQuery }) {
  const t = useWords("paid.filters");
  return (
    <search>
      <form
        action="/routines"
        // A new URL resets the fields.
        key={`${query.filter} ${query.search}`}
        className="mb-8 grid items-end gap-4 sm:grid-cols-[1fr_14rem_auto]"
      >
        <Field label={t("search")} htmlFor="search">
          <TextInput id="search" name="search" type="search" defaultValue={query.search} maxLength={100} />
        </Field>
        <Field label={t("status")} htmlFor="status">
          <Select id="status" name="status" defaultValue={query.filter}>
            {filters.map((filter) => (
              <option key={filter} value={filter}>
                {t(filter)}
              </option>
            ))}
          </Select>
        </Field>
        <Button type="submit" variant="secondary">
          {t("show")}
        </Button>
      </form>
    </search>
  );
}
