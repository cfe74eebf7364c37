import type { Metadata } from "next";
import type { ComponentProps } from "react";
import { answersPath, Webhooks } from "#components/console/pages/webhooks.tsx";
import { eventPage } from "#lib/contract/sandbox-events.ts";
import { deliveryList } from "#lib/contract/sandbox-webhooks.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Webhooks" };

export default consolePage(WebhooksNow, (client) => ({
  list: read(client, "/sandbox/webhooks", deliveryList),
  answers: read(client, answersPath, eventPage).then(({ events }) =>
    events.filter((event) => event.kind === "delivery"),
  ),
}));

function WebhooksNow(props: Omit<ComponentProps<typeof Webhooks>, "now">) {
  return <Webhooks {...props} now={Date.now()} />;
}
