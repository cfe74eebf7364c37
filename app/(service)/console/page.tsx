import { randomUUID } from "node:crypto";
import type { Metadata } from "next";
import { readFilters } from "#components/console/filters.ts";
import { Timeline } from "#components/console/timeline.tsx";
import { readFirstPage } from "#lib/service/sandbox/console/read.ts";
import { asConsoleClient } from "./console-client.ts";
import { readQuery, type Search } from "./console-page.tsx";

export const metadata: Metadata = { title: "Timeline" };

export default async function TimelinePage(search: Search) {
  const filters = readFilters(await readQuery(search));
  const { firstPage, clientId } = await asConsoleClient(async (client) => ({
    firstPage: await readFirstPage(client, { eventId: filters.event }),
    clientId: client.clientId,
  }));
  // Next keeps a component's state if only the query changes, but each navigation shows another timeline.
  return <Timeline key={randomUUID()} firstPage={firstPage} firstFilters={filters} clientId={clientId} />;
}
