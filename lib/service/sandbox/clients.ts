import { randomBytes, randomInt } from "node:crypto";
import type { ClientSettingsRequest } from "../../contract/sandbox.ts";
import { newId } from "../../kit/ids.ts";
import { sha256 } from "../../kit/secrets.ts";
import { inCell } from "../cells.ts";
import { openBusiness } from "../operations/clients/change-business.ts";
import {
  encryptCustomerEndpointSecret,
  encryptWebhookSecret,
  newClientSecret,
  newCustomerEndpointSecret,
  newWebhookSecret,
} from "../operations/clients/new-secrets.ts";
import { fundAccount } from "../storage/accounts.ts";
import { chooseCell } from "../storage/client-cells.ts";
import { type Client, updateClient, upsertClient } from "../storage/clients.ts";
import { type Db, database, inTransaction } from "../storage/database.ts";
import { findUser } from "../storage/people.ts";
import { updateWebhookUrl, upsertWebhookEndpoint } from "../storage/webhook-endpoints.ts";

export type SandboxClient = {
  clientId: string;
  clientSecret: string;
  provider: string;
  webhookSecret: string;
  customerEndpointSecret: string;
  businessProfileId: string;
  businessUserId: string;
  businessUserPhone: string;
};

export type SandboxClientSettings = {
  name: string;
  redirectUris: string[];
  customersUrl: string | null;
  webhookUrl: string | null;
  isTrustedAuthenticationEnabled: boolean;
};

// Decision D16: a business starts with 25,000.00 in its operating account.
const openingCents = 2_500_000;

export async function createSandboxClient(): Promise<SandboxClient> {
  const client = newSandboxClient({
    clientId: `sandbox-${randomBytes(8).toString("hex")}`,
    provider: "partner",
    businessUserPhone: `+1202555${String(randomInt(10_000)).padStart(4, "0")}`,
  });
  const settings = {
    name: "Sandbox client",
    redirectUris: [],
    customersUrl: null,
    webhookUrl: null,
    isTrustedAuthenticationEnabled: true,
  };
  await inCell(await chooseCell(client.clientId), () => inTransaction((tx) => registerClient(tx, client, settings)));
  return client;
}

/** A client with new ids and secrets, to be registered. */
export function newSandboxClient(
  named: Pick<SandboxClient, "clientId" | "provider" | "businessUserPhone">,
): SandboxClient {
  return {
    ...named,
    clientSecret: newClientSecret(),
    webhookSecret: newWebhookSecret(),
    customerEndpointSecret: newCustomerEndpointSecret(),
    businessProfileId: newId(),
    businessUserId: newId(),
  };
}

/** Registers a client with its business user. Resets an existing client to these settings, but keeps its user and money. */
export async function registerClient(tx: Db, client: SandboxClient, settings: SandboxClientSettings): Promise<void> {
  const { clientId: id, businessProfileId, businessUserId, businessUserPhone: phone } = client;
  const { webhookUrl: url, ...clientSettings } = settings;
  await upsertClient(tx, {
    id,
    ...clientSettings,
    secretHash: sha256(client.clientSecret),
    previousSecretHash: null,
    provider: client.provider,
    customerEndpointSecretEncrypted: await encryptCustomerEndpointSecret(id, client.customerEndpointSecret),
    businessProfileId,
  });
  const secretEncrypted = await encryptWebhookSecret(id, client.webhookSecret);
  await upsertWebhookEndpoint(tx, { clientId: id, url, secretEncrypted });
  if (await findUser(tx, { id: businessUserId, clientId: id })) return;
  const contact = { firstName: settings.name, lastName: "Operations", email: "operations@partner.example", phone };
  const business = await openBusiness(tx, { id, businessProfileId }, { id: businessUserId, ...contact });
  if (business) await fundAccount(tx, { accountId: business.accountId, amountCents: openingCents });
}

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

/** Sends the client's webhooks to this address from now on, including those waiting for one. */
export function changeWebhookUrl(clientId: string, url: string): Promise<void> {
  return inTransaction((tx) => updateWebhookUrl(tx, { clientId, url }));
}
