import {
  clientSettings,
  clientSettingsRecord,
  type SandboxClientRecord,
  sandboxClient,
  webhookEndpointRequest,
} from "../../../contract/sandbox.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import type { Client } from "../../operations/tokens/authenticate.ts";
import { changeClient, changeWebhookUrl, createSandboxClient, type SandboxClient } from "../clients.ts";

const createSandboxClientRoute = defineRoute({
  operation: "createSandboxClient",
  method: "POST",
  path: "/sandbox/clients",
  who: "client",
  documentation: {
    summary: "Create a client",
    description: "With its own clock, business user, and funded account. The secrets are shown only once.",
    answer: { status: 201, body: sandboxClient },
  },
  handle: async () => ({ status: 201, body: presentSandboxClient(await createSandboxClient()) }),
});

const getClientRoute = defineRoute({
  operation: "getSandboxClient",
  method: "GET",
  path: "/sandbox/client",
  who: "client",
  documentation: {
    summary: "Read the client's settings",
    answer: { status: 200, body: clientSettingsRecord },
  },
  handle: ({ caller: { client } }) => ({ status: 200, body: presentClientSettings(client) }),
});

const changeClientRoute = defineRoute({
  operation: "changeSandboxClient",
  method: "PUT",
  path: "/sandbox/client",
  who: "client",
  body: clientSettings,
  documentation: {
    summary: "Change the client's settings",
    description: "Omitted settings stay the same.",
    answer: { status: 200, body: clientSettingsRecord },
  },
  handle: async ({ caller: { client }, body }) => ({
    status: 200,
    body: presentClientSettings(await changeClient(client, body)),
  }),
});

const changeWebhookEndpointRoute = defineRoute({
  operation: "changeWebhookEndpoint",
  method: "PUT",
  path: "/sandbox/webhook_endpoint",
  who: "client",
  body: webhookEndpointRequest,
  documentation: {
    summary: "Change the webhook URL",
    answer: { status: 200, body: webhookEndpointRequest },
  },
  handle: async ({ caller: { client }, body: { url } }) => {
    await changeWebhookUrl(client.id, url);
    return { status: 200, body: { url } };
  },
});

/** New clients and operator settings. Decision D16 */
export const sandboxClientRoutes: Route[] = [
  createSandboxClientRoute,
  getClientRoute,
  changeClientRoute,
  changeWebhookEndpointRoute,
];

function presentSandboxClient(client: SandboxClient): SandboxClientRecord {
  return {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    provider: client.provider,
    webhook_secret: client.webhookSecret,
    customer_endpoint_secret: client.customerEndpointSecret,
    business_profile_id: client.businessProfileId,
    business_user_id: client.businessUserId,
    business_user_phone: client.businessUserPhone,
  };
}

function presentClientSettings(client: Client) {
  return {
    client_id: client.id,
    trusted_authentication: client.isTrustedAuthenticationEnabled,
    redirect_uris: client.redirectUris,
    customers_url: client.customersUrl,
    provider: client.provider,
  };
}
