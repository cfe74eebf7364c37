import type { Metadata } from "next";
import { RoutineList } from "#components/partner/routines/routine-list.tsx";
import { requirePerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { isFilterable, parseRoutineListQuery, readRoutineList } from "#lib/partner/routines/routine-view.ts";
import { words } from "#lib/partner/words/words.ts";

export function generateMetadata(): Metadata {
  return { title: words("paid")("title") };
}

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function RoutinesPage({ searchParams }: Props) {
  await requirePerson({ role: "operator", returnTo: "/routines" });
  const query = parseRoutineListQuery(await searchParams);
  return (
    <RoutineList
      query={query}
      page={readRoutineList(partner(), query)}
      isFilterable={await isFilterable(partner(), query)}
    />
  );
}
