import webhooks from "../../../contract/examples/webhooks.json" with { type: "json" };
import { customerRecord } from "../../../contract/identity-verification.ts";
import { limits } from "../../../contract/limits.ts";
import type { WebhookType } from "../../../contract/webhooks.ts";
import { exampleOf, type Json, schemaOf } from "./json-schemas.ts";

const events: Record<WebhookType, { summary: string; example: unknown }> = {
  user_intent_updated: { summary: "A user intent was approved or rejected", example: webhooks.user_intent_updated },
  user_updated: { summary: "The status of a user changed", example: webhooks.user_updated },
  routine_updated: { summary: "The status of a routine changed", example: webhooks.routine_updated },
  transfer_updated: { summary: "The status of a transfer changed", example: webhooks.transfer_updated },
};

/** The `webhooks` section, signed as in Standard Webhooks. Decision D14 */
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
    description: `Sent at least once, in no guaranteed order. The body contains no status: read the record. The key is the base64-decoded text after \`whsec_\` in your webhook secret. Verify the signature over \`webhook-id.webhook-timestamp.body\` and reject webhooks older than ${limits.webhookToleranceSeconds / 60} minutes.`,
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
        description: `Accepted. Any 2xx within ${limits.webhookTimeoutMs / 1000} seconds is a success; anything else is retried later.`,
      },
      410: { description: "Disables this endpoint." },
    },
  };
}

/** The call to the client's customer endpoint during this operation (Decision D11). */
export function callbacksOf(operation: string): Json | undefined {
  return operation === "verifyPartnerIdentity" ? { customer: { [customersUrl]: { get: readCustomer() } } } : undefined;
}

const customersUrl = "https://partner.example/v1/customers/{$request.body#/provider_data/customer_id}";

function readCustomer(): Json {
  return {
    operationId: "readCustomer",
    summary: "Your customer endpoint",
    description: `Served by you at the configured address, within ${limits.customerEndpointTimeoutMs / 1000} seconds, without redirects and in at most ${limits.customerEndpointBytesMax / 1024} KiB. The service sends \`authorization: Bearer\` with your customer endpoint secret: answer 401 to anything else. Called while your verification request is waiting, so it must be served concurrently. The phone must be that of the user intent or user, in any format; \`lastAuthenticationTime\` is in UTC, with \`Z\` or \`+00:00\`.`,
    security: [{ customerEndpointSecret: [] }],
    responses: {
      200: {
        description: "The customer.",
        content: { "application/json": { schema: schemaOf(customerRecord), examples: exampleOf(customerRecord) } },
      },
      401: { description: "The caller is not the service." },
      404: { description: "No such customer; your request is answered `customer_endpoint_failed`." },
    },
  };
}
