import type { Metadata } from "next";
import { Settings } from "#components/console/pages/settings.tsx";
import { clientSettingsRecord } from "#lib/contract/sandbox.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const client = await requireConsoleClient();
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    settings: read(client, "/sandbox/client", clientSettingsRecord),
  });
  return <Settings {...parts} />;
}
