import type { ClientSettingsRequest } from "../../contract/sandbox.ts";
import { type Client, updateClient } from "../storage/clients.ts";
import { database, inTransaction } from "../storage/database.ts";
import { updateWebhookUrl } from "../storage/webhook-endpoints.ts";

/** Makes the settings that an operator would make; what the request leaves out stays as it is. */
export async function changeClient(client: Client, request: ClientSettingsRequest): Promise<Client> {
  const { trusted_authentication, redirect_uris, customers_url, provider } = request;
  const settings = {
    ...(trusted_authentication !== undefined && { isTrustedAuthenticationEnabled: trusted_authentication }),
    ...(redirect_uris !== undefined && { redirectUris: redirect_uris }),
    ...(customers_url !== undefined && { customersUrl: customers_url }),
    ...(provider !== undefined && { provider }),
  };
  return Object.keys(settings).length === 0 ? client : updateClient(database(), client.id, settings);
}

/** Sends the client's webhooks to this address from now on, those included that waited for one. */
export function changeWebhookUrl(clientId: string, url: string): Promise<void> {
  return inTransaction((tx) => updateWebhookUrl(tx, { clientId, url }));
}
