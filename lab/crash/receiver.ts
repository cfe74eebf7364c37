import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type WebhookReceiver = {
  url: string;
  deliveries: Map<string, number>;
  stop: () => Promise<void>;
};

/** Receives all webhooks of a run; `onWebhook` is called for each. */
export async function startWebhookReceiver(
  onWebhook: (webhook: { webhookType: string; resourceId: string }) => void,
): Promise<WebhookReceiver> {
  const deliveries = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const webhookId = String(request.headers["webhook-id"]);
    deliveries.set(webhookId, (deliveries.get(webhookId) ?? 0) + 1);
    response.writeHead(204).end();
    onWebhook({ webhookType: String(body["webhook_type"]), resourceId: String(body["resource_id"]) });
  });
  // A killed sender leaves a partial request.
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
