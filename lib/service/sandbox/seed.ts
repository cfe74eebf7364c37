import { createHash } from "node:crypto";
import { idFor } from "../../kit/ids.ts";
import { readSeedClient, serviceConfig } from "../config.ts";
import { inTransaction } from "../storage/database.ts";
import { registerClient } from "./clients.ts";

/**
 * Creates the client of SERVICE_SEED_CLIENT, if set, and at every start resets its settings to these; its people, money and
 * clock stay. Several processes may do it at once.
 */
export async function seedSandbox(): Promise<void> {
  const client = readSeedClient(process.env);
  if (!client) return;
  if (serviceConfig().mode !== "sandbox") throw new Error("Only a sandbox is seeded.");
  const { client_id: clientId, client_secret: clientSecret, customers_url: customersUrl } = client;

  await inTransaction((tx) =>
    registerClient(
      tx,
      { clientId, clientSecret, ...seedValuesOf(clientId) },
      {
        name: client.name ?? clientId,
        redirectUris: client.redirect_uris,
        customersUrl,
        // Without that address no token could be minted, and no one could open the authorization pages.
        isTrustedAuthenticationEnabled: customersUrl !== null,
        webhookUrl: client.webhook_url,
      },
    ),
  );
}

const hashBytes = 20;

/**
 * What a seeded client has besides its settings. Derived from its id, so that a partner can copy the values into a test:
 * they never change. They are public, and their first word says so.
 */
export function seedValuesOf(clientId: string) {
  const hash = createHash("sha256").update(`webhook secret of ${clientId}`).digest().subarray(0, hashBytes);
  return {
    provider: clientId.replace(/^demo-/, ""),
    webhookSecret: `whsec_${Buffer.concat([Buffer.from("demo"), hash]).toString("base64")}`,
    customerEndpointSecret: `demo-customer-endpoint-secret-of-${clientId}`,
    businessProfileId: idFor(`business profile of ${clientId}`),
    businessUserId: idFor(`business user of ${clientId}`),
    businessUserPhone: "+12025550100",
  };
}

/**
 * The seeded client, for the sandbox's pages to show; undefined unless its secret is public, which means that it begins with
 * "demo". `redirectUri` is given only where no session token is needed.
 */
export function readDemoCredentials() {
  const client = readSeedClient(process.env);
  if (!client?.client_secret.startsWith("demo")) return undefined;
  return {
    clientId: client.client_id,
    clientSecret: client.client_secret,
    redirectUri: client.customers_url === null ? client.redirect_uris[0] : undefined,
    webhookUrl: client.webhook_url ?? undefined,
  };
}
