import type { Metadata } from "next";
import { Checks } from "#components/console/pages/checks.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Checks" };

export default async function ChecksPage() {
  const client = await requireConsoleClient();
  const [lastEvent, report, drills] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/checks", checkReport),
    read(client, "/sandbox/drills", drillList),
  ]);
  return <Checks report={report} {...drills} lastEvent={lastEvent} />;
}
