import { createHash } from "node:crypto";
import { readEnvironment } from "../../kit/environment.ts";
import { serviceConfig, serviceEnvironment } from "../config.ts";
import { inTransaction } from "../storage/database.ts";
import { registerClient } from "./create-client.ts";

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
        provider: required(settings, "SERVICE_SEED_PROVIDER"),
        webhookSecret: required(settings, "SERVICE_SEED_WEBHOOK_SECRET"),
        customerEndpointSecret: required(settings, "SERVICE_SEED_CUSTOMER_ENDPOINT_SECRET"),
        businessProfileId: businessProfileIdOf(clientId),
        businessUserId: required(settings, "SERVICE_SEED_BUSINESS_USER_ID"),
        businessUserPhone: required(settings, "SERVICE_SEED_BUSINESS_USER_PHONE"),
      },
      {
        name: "Harbor",
        redirectUris: [required(settings, "SERVICE_SEED_REDIRECT_URI")],
        customersUrl: settings.SERVICE_SEED_CUSTOMERS_URL ?? null,
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

// The same at every start, so that it stays the one that client and business user share.
function businessProfileIdOf(clientId: string): string {
  const hex = createHash("sha256").update(`business profile of ${clientId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
