import { randomBytes, randomInt } from "node:crypto";
import type { ClientSettingsRequest } from "../../contract/sandbox.ts";
import { encryptText } from "../../kit/encryption.ts";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { fundAccount, insertAccount, newMask } from "../storage/accounts.ts";
import { type Client, customerEndpointSecretContext, updateClient, upsertClient } from "../storage/clients.ts";
import { type Db, database, inTransaction } from "../storage/database.ts";
import { updateWebhookUrl, upsertWebhookEndpoint, webhookSecretContext } from "../storage/deliveries.ts";
import { findUser, insertUser } from "../storage/users.ts";
import { newWebhookSecret } from "./webhooks.ts";

/** A new client's credentials; its secrets are shown only here. */
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

/** Settings that a client can start with. */
export type SandboxClientSettings = {
  name: string;
  redirectUris: string[];
  customersUrl: string | null;
  webhookUrl: string | null;
  isTrustedAuthenticationEnabled: boolean;
};

// Decision D16: a business starts with 25,000.00 in its operating account.
const openingCents = 2_500_000;

/** A fresh client with its own clock, an approved business user and a funded operating account. */
export async function createSandboxClient(): Promise<SandboxClient> {
  const client: SandboxClient = {
    clientId: `sandbox-${randomBytes(8).toString("hex")}`,
    clientSecret: newSecret("gwk_"),
    provider: "partner",
    webhookSecret: newWebhookSecret(),
    customerEndpointSecret: newSecret("gwe_"),
    businessProfileId: newId(),
    businessUserId: newId(),
    businessUserPhone: `+1202555${String(randomInt(10_000)).padStart(4, "0")}`,
  };
  await inTransaction((tx) =>
    registerClient(tx, client, {
      name: "Sandbox client",
      redirectUris: [],
      customersUrl: null,
      webhookUrl: null,
      isTrustedAuthenticationEnabled: true,
    }),
  );
  return client;
}

/** Registers a client with its business user. Resets an existing client to these settings, but keeps its user and money. */
export async function registerClient(tx: Db, client: SandboxClient, settings: SandboxClientSettings): Promise<void> {
  const { clientId: id, provider, businessProfileId } = client;
  const { name, redirectUris, customersUrl, webhookUrl: url, isTrustedAuthenticationEnabled } = settings;
  const { keyring } = serviceConfig();
  await upsertClient(tx, {
    id,
    name,
    secretHash: sha256(client.clientSecret),
    redirectUris,
    isTrustedAuthenticationEnabled,
    provider,
    customersUrl,
    customerEndpointSecretEncrypted: await encryptText(
      client.customerEndpointSecret,
      customerEndpointSecretContext(id),
      keyring,
    ),
    businessProfileId,
  });
  const secretEncrypted = await encryptText(client.webhookSecret, webhookSecretContext(id), keyring);
  await upsertWebhookEndpoint(tx, { clientId: id, url, secretEncrypted });
  await openBusiness(tx, client, name);
}

async function openBusiness(tx: Db, client: SandboxClient, name: string): Promise<void> {
  const { clientId, businessUserId: userId, businessUserPhone: phone, businessProfileId } = client;
  if (await findUser(tx, { id: userId, clientId })) return;
  const user = await insertUser(tx, {
    id: userId,
    clientId,
    userType: "business",
    status: "approved",
    firstName: name,
    lastName: "Operations",
    email: "operations@partner.example",
    phone,
    businessProfileId,
  });
  if (!user) return;
  const account = await insertAccount(tx, {
    clientId,
    userId,
    name: "Operating account",
    type: "operating",
    mask: newMask(),
  });
  await fundAccount(tx, { accountId: account.id, amountCents: openingCents });
}

/** Changes the settings that the request names. */
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

/** Sends the client's webhooks to this address from now on, including those that were waiting for one. */
export function changeWebhookUrl(clientId: string, url: string): Promise<void> {
  return inTransaction((tx) => updateWebhookUrl(tx, { clientId, url }));
}
