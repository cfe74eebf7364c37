import type { Metadata } from "next";
import { Checks } from "#components/console/pages/checks.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Checks" };

export default async function ChecksPage(search: Search) {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    report: read(client, "/sandbox/checks", checkReport),
    drills: read(client, "/sandbox/drills", drillList),
  });
  return <Checks {...parts} query={await readQuery(search)} />;
}
