import type { Metadata } from "next";
import { Faults } from "#components/console/pages/faults.tsx";
import { faultList } from "#lib/contract/sandbox-faults.ts";
import { read, readFaultChoices, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Faults" };

export default async function FaultsPage() {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    faults: read(client, "/sandbox/faults", faultList),
    choices: readFaultChoices(client),
  });
  return <Faults {...parts} />;
}
