import { randomUUID } from "node:crypto";
import type { Metadata } from "next";
import { readFilters } from "#components/console/filters.ts";
import { Timeline } from "#components/console/timeline.tsx";
import { readFirstPage } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "./console-client.ts";
import { readQuery, type Search } from "./console-page.tsx";

export const metadata: Metadata = { title: "Timeline" };

export default async function TimelinePage(search: Search) {
  const client = await requireConsoleClient();
  const filters = readFilters(await readQuery(search));
  const page = await readFirstPage(client, { eventId: filters.event });
  // Next keeps a component's state if only the query changes, but each navigation shows another timeline.
  return <Timeline key={randomUUID()} firstPage={page} firstFilters={filters} clientId={client.clientId} />;
}
