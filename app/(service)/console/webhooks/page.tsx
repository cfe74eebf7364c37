import type { Metadata } from "next";
import { answersPath, Webhooks } from "#components/console/pages/webhooks.tsx";
import { type DeliveryEvent, eventPage, type SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { deliveryList } from "#lib/contract/sandbox-webhooks.ts";
import { read, readLastEvent, readParts } from "#lib/service/sandbox/console/read.ts";
import { requireConsoleClient } from "../console-client.ts";
import { readQuery, type Search } from "../console-query.ts";

export const metadata: Metadata = { title: "Webhooks" };

export default async function WebhooksPage(search: Search) {
  const client = await requireConsoleClient();
  const answers = read(client, answersPath, eventPage).then(({ events }) => events.filter(isDelivery));
  const parts = await readParts({
    lastEvent: readLastEvent(client),
    list: read(client, "/sandbox/webhooks", deliveryList),
    answers,
  });
  return <Webhooks {...parts} now={Date.now()} query={await readQuery(search)} />;
}

function isDelivery(event: SandboxEvent): event is DeliveryEvent {
  return event.kind === "delivery";
}
