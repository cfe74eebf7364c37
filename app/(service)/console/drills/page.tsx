import type { Metadata } from "next";
import { Drills } from "#components/console/pages/drills.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Drills" };

export default async function DrillsPage() {
  const client = await requireConsoleClient();
  const [lastEvent, drills, report] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/drills", drillList),
    read(client, "/sandbox/checks", checkReport),
  ]);
  return <Drills {...drills} report={report} lastEvent={lastEvent} />;
}
