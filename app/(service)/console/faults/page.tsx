import type { Metadata } from "next";
import { Faults } from "#components/console/pages/faults.tsx";
import { faultList } from "#lib/contract/sandbox-faults.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { readFaultChoices } from "#lib/service/pages/console/read-fault-choices.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Faults" };

export default async function FaultsPage() {
  const client = await requireConsoleClient();
  const [lastEvent, faults, choices] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/faults", faultList),
    readFaultChoices(client),
  ]);
  return <Faults {...faults} {...choices} lastEvent={lastEvent} />;
}
