import type { Metadata } from "next";
import { Settings } from "#components/console/pages/settings.tsx";
import { clientSettingsRecord } from "#lib/contract/sandbox.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const client = await requireConsoleClient();
  const [lastEvent, settings] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/client", clientSettingsRecord),
  ]);
  return <Settings settings={settings} lastEvent={lastEvent} />;
}
