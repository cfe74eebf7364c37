import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { DrillPage } from "#components/console/pages/drill.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { deliveryList } from "#lib/contract/sandbox-webhooks.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { asConsoleClient } from "../../console-client.ts";

export const metadata: Metadata = { title: "Drill" };

type Params = {
  params: Promise<{ drill: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function ConsoleDrillPage({ params, searchParams }: Params) {
  const { drill: id } = await params;
  const after = /^\d{1,15}$/.exec((await searchParams)["after"]?.toString() ?? "")?.[0];
  const [{ drills }, parts] = await asConsoleClient((client) =>
    Promise.all([
      read(client, "/sandbox/drills", drillList),
      readParts({
        lastEvent: readLastEvent(client),
        webhooks: read(client, "/sandbox/webhooks", deliveryList),
        report: after === undefined ? undefined : read(client, `/sandbox/checks?after=${after}`, checkReport),
      }),
    ]),
  );
  const drill = drills.find((one) => one.id === id) ?? notFound();
  return <DrillPage drill={drill} after={after} {...parts} />;
}
