import { readEnvironment } from "../../kit/environment.ts";
import { serviceConfig, serviceEnvironment } from "../config.ts";
import { inTransaction } from "../storage/database.ts";
import { registerClient } from "./create-client.ts";
import { seedValuesOf } from "./seed-values.ts";

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
