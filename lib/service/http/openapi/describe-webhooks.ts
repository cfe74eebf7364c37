import webhooks from "../../../contract/examples/webhooks.json" with { type: "json" };
import { limits } from "../../../contract/limits.ts";
import type { WebhookType } from "../../../contract/webhooks.ts";
import type { Json } from "./json-schemas.ts";

const events: Record<WebhookType, { summary: string; example: unknown }> = {
  user_intent_updated: { summary: "A user intent was approved or rejected", example: webhooks.user_intent_updated },
  user_updated: { summary: "The status of a user changed", example: webhooks.user_updated },
  routine_updated: { summary: "The status of a routine changed", example: webhooks.routine_updated },
  transfer_updated: { summary: "The status of a transfer changed", example: webhooks.transfer_updated },
};

/** The `webhooks` section: every type of delivery, signed as Standard Webhooks says. Decision D14 */
export function describeWebhooks(): Json {
  return Object.fromEntries(
    Object.entries(events).map(([type, { summary, example }]) => [
      type,
      { post: describeDelivery(type, summary, example) },
    ]),
  );
}

function describeDelivery(type: string, summary: string, example: unknown): Json {
  return {
    operationId: type.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
    summary,
    description: `Sent at least once and in no promised order. The body carries no status: read the record. Verify the signature over \`webhook-id.webhook-timestamp.body\` and refuse what is older than ${limits.webhookToleranceSeconds / 60} minutes.`,
    tags: ["Webhooks"],
    security: [],
    parameters: ["WebhookId", "WebhookTimestamp", "WebhookSignature"].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [
              { $ref: "#/components/schemas/WebhookEvent" },
              { type: "object", properties: { webhook_type: { const: type } } },
            ],
          },
          examples: { [type]: { value: example } },
        },
      },
    },
    responses: {
      204: {
        description: `Taken. Any 2xx within ${limits.webhookTimeoutMs / 1000} seconds is success; anything else is tried again later.`,
      },
      410: { description: "Never send here again." },
    },
  };
}
