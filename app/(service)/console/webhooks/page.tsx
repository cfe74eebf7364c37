import type { Metadata } from "next";
import { Webhooks } from "#components/console/pages/webhooks.tsx";
import { deliveryList } from "#lib/contract/sandbox-webhooks.ts";
import { read, readEvents, readLastEvent } from "#lib/service/pages/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";

export const metadata: Metadata = { title: "Webhooks" };

export default async function WebhooksPage() {
  const client = await requireConsoleClient();
  const [lastEvent, list, attempts] = await Promise.all([
    readLastEvent(client),
    read(client, "/sandbox/webhooks", deliveryList),
    readEvents(client, "kind=delivery&limit=1000"),
  ]);
  const answers = attempts.events.filter((event) => event.kind === "delivery");
  return <Webhooks {...list} answers={answers} lastEvent={lastEvent} />;
}
