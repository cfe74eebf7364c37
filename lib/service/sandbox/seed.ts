import { createHash } from "node:crypto";
import { idFor } from "../../kit/ids.ts";
import { inCell } from "../cells.ts";
import { readSeedClient, serviceConfig } from "../config.ts";
import { chooseCell } from "../storage/client-cells.ts";
import { inTransaction } from "../storage/database.ts";
import { registerClient } from "./clients.ts";

/**
 * Creates the client of SERVICE_SEED_CLIENT, if set, and resets its settings at every start. Its people, money, and clock stay.
 * Safe to run concurrently.
 */
export async function seedSandbox(): Promise<void> {
  const client = readSeedClient(process.env);
  if (!client) return;
  if (serviceConfig().mode !== "sandbox") throw new Error("Only a sandbox can be seeded.");
  const { client_id: clientId, client_secret: clientSecret, customers_url: customersUrl } = client;

  await inCell(await chooseCell(clientId), () =>
    inTransaction((tx) =>
      registerClient(
        tx,
        { clientId, clientSecret, ...seedValuesOf(clientId) },
        {
          name: client.name ?? clientId,
          redirectUris: client.redirect_uris,
          customersUrl,
          isTrustedAuthenticationEnabled: client.trusted_authentication,
          webhookUrl: client.webhook_url,
        },
      ),
    ),
  );
}

const hashBytes = 20;

/**
 * A seeded client's secrets and ids, derived from its id so they never change. They are public, as their first word shows.
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

/** The seeded client and its public credentials; undefined unless its secret starts with "demo". */
export function readDemoCredentials() {
  const client = readSeedClient(process.env);
  if (!client?.client_secret.startsWith("demo")) return undefined;
  return {
    clientId: client.client_id,
    clientSecret: client.client_secret,
    provider: seedValuesOf(client.client_id).provider,
    redirectUri: client.redirect_uris[0] ?? "",
    customersUrl: client.customers_url ?? undefined,
    isTrusted: client.trusted_authentication,
    webhookUrl: client.webhook_url ?? undefined,
  };
}
