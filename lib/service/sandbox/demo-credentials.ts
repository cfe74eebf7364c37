import { readEnvironment } from "../../kit/environment.ts";
import { serviceEnvironment } from "../config.ts";

/**
 * The credentials of the client that a sandbox makes, for its pages to show; undefined unless they are public, as those of
 * .env.example are: a secret that somebody chose is shown to nobody.
 */
export function readDemoCredentials(): { clientId: string; clientSecret: string } | undefined {
  const { SERVICE_SEED_CLIENT_ID: clientId, SERVICE_SEED_CLIENT_SECRET: clientSecret } = readEnvironment(
    serviceEnvironment,
    process.env,
  );
  return clientId && clientSecret?.startsWith("demo") ? { clientId, clientSecret } : undefined;
}
