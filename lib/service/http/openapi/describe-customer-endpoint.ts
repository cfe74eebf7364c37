import { customerRecord } from "../../../contract/identity-verification.ts";
import { limits } from "../../../contract/limits.ts";
import { exampleOf, type Json, schemaOf } from "./json-schemas.ts";

/** What the service calls while it works on this operation: the client's own customer endpoint (Decision D11). */
export function callbacksOf(operation: string): Json | undefined {
  return operation === "verifyPartnerIdentity" ? { customer: { [customersUrl]: { get: readCustomer() } } } : undefined;
}

const customersUrl = "https://partner.example/v1/customers/{$request.body#/provider_data/customer_id}";

function readCustomer(): Json {
  return {
    operationId: "readCustomer",
    summary: "Your customer endpoint",
    description: `Served by you at the configured address, within ${limits.customerEndpointTimeoutMs / 1000} seconds, without redirects and in at most ${limits.customerEndpointBytesMax / 1024} KiB. Called while your own verification request is waiting, so it must be served at the same time. The phone must be the one of the user intent or user, however it is spelled; \`lastAuthenticationTime\` is in UTC, with \`Z\` or \`+00:00\`.`,
    security: [{ customerEndpointSecret: [] }],
    responses: {
      200: {
        description: "The customer.",
        content: { "application/json": { schema: schemaOf(customerRecord), examples: exampleOf(customerRecord) } },
      },
      401: { description: "Anybody but the service." },
      404: { description: "No such customer; answered to your request as `customer_endpoint_failed`." },
    },
  };
}
