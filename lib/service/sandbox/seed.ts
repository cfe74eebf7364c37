import { readSeedClient, serviceConfig } from "../config.ts";
import { inTransaction } from "../storage/database.ts";
import { registerClient } from "./create-client.ts";
import { seedValuesOf } from "./seed-values.ts";

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
