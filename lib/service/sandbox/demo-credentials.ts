import { readEnvironment } from "../../kit/environment.ts";
import { serviceEnvironment } from "../config.ts";

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
