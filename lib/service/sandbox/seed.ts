import { createHash } from "node:crypto";
import { readEnvironment } from "../../kit/environment.ts";
import { idFor } from "../../kit/ids.ts";
import { serviceConfig, serviceEnvironment } from "../config.ts";
import { inTransaction } from "../storage/database.ts";
import { registerClient } from "./clients.ts";

/**
 * Makes sure of the client that the SERVICE_SEED_* settings describe, and does nothing when they name none. At every start
 * the client's settings are put back to these; its people, money and clock stay. Several processes may do it at once.
 */
export async function seedSandbox(): Promise<void> {
  const settings = readEnvironment(serviceEnvironment, process.env);
  const clientId = settings.SERVICE_SEED_CLIENT_ID;
  if (!clientId) return;
  if (serviceConfig().mode !== "sandbox") throw new Error("Only a sandbox is seeded.");

  await inTransaction((tx) =>
    registerClient(
      tx,
      {
        clientId,
        clientSecret: required(settings, "SERVICE_SEED_CLIENT_SECRET"),
        ...seedValuesOf(clientId),
      },
      {
        name: settings.SERVICE_SEED_CLIENT_NAME ?? clientId,
        redirectUris: [required(settings, "SERVICE_SEED_REDIRECT_URI")],
        customersUrl: settings.SERVICE_SEED_CUSTOMERS_URL ?? null,
        // Without that address no token could be minted, and then nobody could open the authorization pages.
        isTrustedAuthenticationEnabled: settings.SERVICE_SEED_CUSTOMERS_URL !== undefined,
        webhookUrl: settings.SERVICE_SEED_WEBHOOK_URL ?? null,
      },
    ),
  );
}

function required<Name extends string>(settings: { [name in Name]?: string | undefined }, name: Name): string {
  const value = settings[name];
  if (value === undefined) throw new Error(`${name} is missing: SERVICE_SEED_CLIENT_ID asks for it.`);
  return value;
}

const hashBytes = 20;

/**
 * What a seeded client has beside its settings. Derived from its id, so a partner can copy the values into a test: they are
 * the same at every start and in every folder. They are public, and say so with their first word.
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
 * The client that a sandbox makes, for its pages to show; undefined unless its secret is public, as those are which begin with
 * "demo": a secret that somebody chose is shown to nobody. `redirectUri` is told only where people need no session token.
 */
export function readDemoCredentials() {
  const settings = readEnvironment(serviceEnvironment, process.env);
  const { SERVICE_SEED_CLIENT_ID: clientId, SERVICE_SEED_CLIENT_SECRET: clientSecret } = settings;
  if (!clientId || !clientSecret?.startsWith("demo")) return undefined;
  const asksForCustomers = settings.SERVICE_SEED_CUSTOMERS_URL !== undefined;
  return {
    clientId,
    clientSecret,
    redirectUri: asksForCustomers ? undefined : settings.SERVICE_SEED_REDIRECT_URI,
    webhookUrl: settings.SERVICE_SEED_WEBHOOK_URL,
  };
}
