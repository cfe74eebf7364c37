import { type HttpListener, listenOnFreePort } from "../../lib/kit/testing/http-listener.ts";

export type WebhookReceiver = HttpListener & { deliveries: Map<string, number> };

/** Receives all webhooks of a run; `onWebhook` is called for each. */
export async function startWebhookReceiver(
  onWebhook: (webhook: { webhookType: string; resourceId: string }) => void,
): Promise<WebhookReceiver> {
  const deliveries = new Map<string, number>();
  const listener = await listenOnFreePort(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const webhookId = String(request.headers["webhook-id"]);
    deliveries.set(webhookId, (deliveries.get(webhookId) ?? 0) + 1);
    response.writeHead(204).end();
    onWebhook({ webhookType: String(body["webhook_type"]), resourceId: String(body["resource_id"]) });
  });
  return { ...listener, deliveries };
}
