import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import {
  type DeliveryList,
  type DeliveryRecord,
  deliveryList,
  deliveryRecord,
  type RecoveredWebhooks,
  type RotatedWebhookSecret,
  recoveredWebhooks,
  rotatedWebhookSecret,
  type WebhookFaultRecord,
  webhookFaultRecord,
  webhookFaultRequest,
  webhookRecovery,
} from "../../../contract/sandbox-webhooks.ts";
import { uuid } from "../../../contract/text.ts";
import type { WebhookEvent } from "../../../contract/webhooks.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { pageQuery } from "../../http/frame/read-request.ts";
import { refuse } from "../../http/frame/refusal.ts";
import {
  clearWebhookFault,
  type Delivery,
  readWebhooks,
  recoverWebhooks,
  rotateWebhookSecret,
  sendAgain,
  setWebhookFault,
  type WebhookFault,
  type WebhookOverview,
} from "../webhooks.ts";

const listWebhooks = defineRoute({
  operation: "listSandboxWebhooks",
  method: "GET",
  path: "/sandbox/webhooks",
  who: "client",
  query: z.strictObject(pageQuery({ limit: limits.pageSizeMax, limitMax: limits.pageSizeMax })),
  documentation: {
    summary: "List webhooks",
    description: `Newest first with every attempt, up to \`limit\` (${limits.pageSizeMax} by default), with the endpoint and the active fault. Pass \`next\` to continue.`,
    answer: { status: 200, body: deliveryList },
  },
  handle: async ({ caller: { client }, query: { limit, starting_after: startingAfter } }) => ({
    status: 200,
    body: presentOverview(await readWebhooks({ clientId: client.id, limit, startingAfter })),
  }),
});

const redeliverWebhook = defineRoute({
  operation: "redeliverSandboxWebhook",
  method: "POST",
  path: "/sandbox/webhooks/:id/redeliver",
  who: "client",
  params: z.object({ id: uuid }),
  documentation: {
    summary: "Redeliver a webhook",
    description: "Right away, regardless of its state. Its id stays the same.",
    answer: { status: 200, body: deliveryRecord },
  },
  handle: async ({ caller: { client }, params: { id } }) => {
    const delivery = await sendAgain(id, { clientId: client.id });
    return delivery ? { status: 200, body: presentDelivery(delivery) } : refuse("not_found");
  },
});

const recoverSince = defineRoute({
  operation: "recoverSandboxWebhooks",
  method: "POST",
  path: "/sandbox/webhooks/recover",
  who: "client",
  body: webhookRecovery,
  documentation: {
    summary: "Redeliver everything that didn't arrive",
    description: `Every webhook created since \`since\`, in real time, that failed or waits for a retry or for its endpoint: right away, oldest first, ${limits.sandboxRecoveriesMax} at most. Webhooks that are being sent already don't count, so a repeated call changes nothing.`,
    answer: { status: 200, body: recoveredWebhooks },
  },
  handle: async ({ caller: { client }, body: { since } }) => {
    const { recovered, moreExist } = await recoverWebhooks(client.id, new Date(since));
    const body: RecoveredWebhooks = { webhooks: recovered, more_exist: moreExist };
    return { status: 200, body };
  },
});

const rotateSecret = defineRoute({
  operation: "rotateSandboxWebhookSecret",
  method: "POST",
  path: "/sandbox/webhook_endpoint/rotate",
  who: "client",
  documentation: {
    summary: "Rotate the webhook secret",
    description: `The new secret is shown only once. Webhooks are also signed with the old one for ${limits.webhookPreviousSecretSeconds / 3600} hours, or until the next rotation: \`older_secret_ended\` says that this one ended an older secret early.`,
    answer: { status: 200, body: rotatedWebhookSecret },
  },
  handle: async ({ caller: { client } }) => {
    const { webhookSecret, endpoint, olderSecretEnded } = await rotateWebhookSecret(client.id);
    const body: RotatedWebhookSecret = {
      webhook_secret: webhookSecret,
      previous_secret_expires_at: timeText(endpoint.previousSecretExpiresAt) ?? "",
      older_secret_ended: olderSecretEnded,
    };
    return { status: 200, body };
  },
});

const putFault = defineRoute({
  operation: "setSandboxWebhookFault",
  method: "PUT",
  path: "/sandbox/webhook_faults",
  who: "client",
  body: webhookFaultRequest,
  documentation: {
    summary: "Set a fault for the next webhooks",
    description: "Counted, never random. A second request replaces the first.",
    answer: { status: 200, body: webhookFaultRecord },
  },
  handle: async ({ caller: { client }, body: { kind, times } }) => {
    const body: WebhookFaultRecord = {
      fault: presentFault(await setWebhookFault(client.id, { kind, remaining: times })),
    };
    return { status: 200, body };
  },
});

const deleteFault = defineRoute({
  operation: "clearSandboxWebhookFault",
  method: "DELETE",
  path: "/sandbox/webhook_faults",
  who: "client",
  documentation: {
    summary: "Remove the webhook fault",
    answer: { status: 200, body: webhookFaultRecord },
  },
  handle: async ({ caller: { client } }) => {
    await clearWebhookFault(client.id);
    const body: WebhookFaultRecord = { fault: null };
    return { status: 200, body };
  },
});

/** Webhooks, their attempts, and operator actions. Decision D16 */
export const sandboxWebhookRoutes: Route[] = [
  listWebhooks,
  redeliverWebhook,
  recoverSince,
  rotateSecret,
  putFault,
  deleteFault,
];

function presentOverview({ endpoint, fault, deliveries }: WebhookOverview): DeliveryList {
  return {
    endpoint: {
      url: endpoint.url,
      failing_since: timeText(endpoint.failingSince),
      disabled_at: timeText(endpoint.disabledAt),
      previous_secret_expires_at: timeText(endpoint.previousSecretExpiresAt),
    },
    fault: presentFault(fault),
    webhooks: deliveries.rows.map(presentDelivery),
    next: deliveries.next,
  };
}

function presentDelivery(delivery: Delivery): DeliveryRecord {
  return {
    id: delivery.id,
    webhook_type: delivery.webhookType,
    resource_id: delivery.resourceId,
    status: delivery.status,
    fault: delivery.fault,
    // Exactly the bytes that we send.
    body: JSON.parse(delivery.body) as WebhookEvent,
    trace_id: delivery.traceId,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: timeText(delivery.nextAttemptAt),
    delivered_at: timeText(delivery.deliveredAt),
    attempts: delivery.tries.map(({ attempt, sentRealAt, durationMs, responseStatus, error }) => ({
      attempt,
      sent_at: sentRealAt.toISOString(),
      duration_ms: durationMs,
      response_status: responseStatus,
      error,
    })),
  };
}

function presentFault(fault: WebhookFault | undefined) {
  return fault && fault.remaining > 0 ? { kind: fault.kind, times: fault.remaining } : null;
}

function timeText(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
