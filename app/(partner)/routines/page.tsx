import type { Metadata } from "next";
import { RoutineList } from "#components/partner/routines/routine-list.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { withQuery } from "#lib/partner/requests/form-fields.ts";
import { isFilterable, parseRoutineListQuery, readRoutineList } from "#lib/partner/routines/routine-view.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: words("paid")("title") };
}

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function RoutinesPage({ searchParams }: Props) {
  const typed = await searchParams;
  await requirePerson({ role: "operator", returnTo: withQuery("/routines", typed) });
  const query = parseRoutineListQuery(typed);
  return (
    <RoutineList
      query={query}
      page={readRoutineList(partner(), query)}
      isFilterable={await isFilterable(partner(), query)}
    />
  );
}
