import { readWebhookBody } from "#lib/partner/webhooks/read-webhook-body.ts";
import { receiveWebhook, type WebhookVerdict } from "#lib/partner/webhooks/receive-webhook.ts";

const statuses: Record<WebhookVerdict, number> = {
  accepted: 202,
  duplicate: 200,
  not_understood: 400,
  not_genuine: 401,
  too_large: 413,
};

export async function POST(request: Request): Promise<Response> {
  const body = await readWebhookBody(request);
  const verdict = body === undefined ? "too_large" : await receiveWebhook(body, request.headers);
  return new Response(null, { status: statuses[verdict], headers: { "cache-control": "no-store" } });
}
