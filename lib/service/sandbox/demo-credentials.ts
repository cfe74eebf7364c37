import { readSeedClient } from "../config.ts";

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
