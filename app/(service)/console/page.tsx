import type { Metadata } from "next";
import { readFilters } from "#components/console/filters.ts";
import { Timeline } from "#components/console/timeline.tsx";
import { readFirstPage } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "./console-client.ts";

export const metadata: Metadata = { title: "Timeline" };

type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function TimelinePage({ searchParams }: Search) {
  const client = await requireConsoleClient();
  const asked = Object.entries(await searchParams).map(([name, value]): [string, string] => [name, `${value ?? ""}`]);
  const filters = readFilters(new URLSearchParams(asked));
  const page = await readFirstPage(client, { eventId: filters.event });
  return <Timeline firstPage={page} firstFilters={filters} />;
}
