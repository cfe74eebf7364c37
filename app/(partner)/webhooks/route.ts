import { partner } from "#lib/partner/process-partner.ts";
import { readWebhookBody, receiveWebhook, statusOfVerdict } from "#lib/partner/webhooks/receive-webhook.ts";

export async function POST(request: Request): Promise<Response> {
  const body = await readWebhookBody(request);
  const verdict = body === undefined ? "too_large" : await receiveWebhook(partner(), body, request.headers);
  return new Response(null, { status: statusOfVerdict[verdict], headers: { "cache-control": "no-store" } });
}
