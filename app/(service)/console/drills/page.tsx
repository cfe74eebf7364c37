import type { Metadata } from "next";
import { Drills } from "#components/console/pages/drills.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Drills" };

export default async function DrillsPage(search: Search) {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    drills: read(client, "/sandbox/drills", drillList),
    report: read(client, "/sandbox/checks", checkReport),
  });
  return <Drills {...parts} query={await readQuery(search)} />;
}
