import { randomBytes, randomInt } from "node:crypto";
import { encryptText } from "../../kit/encryption.ts";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { serviceConfig } from "../config.ts";
import { fundAccount, insertAccount, newMask } from "../storage/accounts.ts";
import { customerEndpointSecretContext, upsertClient } from "../storage/clients.ts";
import { type Db, inTransaction } from "../storage/database.ts";
import { findUser, insertUser } from "../storage/users.ts";
import { upsertWebhookEndpoint, webhookSecretContext } from "../storage/webhook-endpoints.ts";
import { newWebhookSecret } from "./webhooks.ts";

/** All that a client needs to begin; the only time that its secrets are shown. */
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

/** What else a client may have from the start. */
export type SandboxClientSettings = {
  name: string;
  redirectUris: string[];
  customersUrl: string | null;
  webhookUrl: string | null;
  isTrustedAuthenticationEnabled: boolean;
};

// Decision D16: the operating account of a business begins with 25,000.00.
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

/**
 * Registers a client with its business user. What exists already is put back to these settings; a business user that exists
 * is left alone, with its money.
 */
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
