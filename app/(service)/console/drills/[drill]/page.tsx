import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { DrillPage } from "#components/console/pages/drill.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { deliveryList } from "#lib/contract/sandbox-webhooks.ts";
import { read, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../../console-client.ts";

export const metadata: Metadata = { title: "Drill" };

type Params = {
  params: Promise<{ drill: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function ConsoleDrillPage({ params, searchParams }: Params) {
  const client = await requireConsoleClient();
  const { drill: id } = await params;
  const after = /^\d{1,15}$/.exec((await searchParams)["after"]?.toString() ?? "")?.[0];
  const [lastEvent, { drills }, { webhooks }, report] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/drills", drillList),
    read(client, "/sandbox/webhooks", deliveryList),
    after === undefined ? undefined : read(client, `/sandbox/checks?after=${after}`, checkReport),
  ]);
  const drill = drills.find((one) => one.id === id) ?? notFound();
  return <DrillPage drill={drill} report={report} newestWebhook={webhooks[0]?.id} lastEvent={lastEvent} />;
}
