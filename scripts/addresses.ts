import { brandName } from "../brand/name.ts";
import { readSeedClient } from "../lib/service/config.ts";

/** The addresses that one app's settings must have for the other. The settings are separate, because the apps can run apart. */
function listAddresses(
  settings: NodeJS.ProcessEnv,
): { name: string; actual: string | null | undefined; expected: string | undefined }[] {
  const { SERVICE_BASE_URL: serviceUrl, PARTNER_BASE_URL: partnerUrl } = settings;
  const client = readSeedClient(settings);
  const ofClient = (field: string) => `${field} in SERVICE_SEED_CLIENT`;
  return [
    { name: "PARTNER_SERVICE_BASE_URL", actual: settings["PARTNER_SERVICE_BASE_URL"], expected: serviceUrl },
    {
      name: "PARTNER_SERVICE_AUTH_URL",
      actual: settings["PARTNER_SERVICE_AUTH_URL"],
      expected: settings["SERVICE_AUTH_URL"] || serviceUrl,
    },
    { name: ofClient("redirect_uris"), actual: client?.redirect_uris.join(", "), expected: `${partnerUrl}/callback` },
    { name: ofClient("customers_url"), actual: client?.customers_url, expected: partnerUrl },
    { name: ofClient("webhook_url"), actual: client?.webhook_url, expected: `${partnerUrl}/webhooks` },
  ];
}

/** Throws with a line for each address that doesn't match: both apps would start but not find each other. */
export function requireMatchingAddresses(settings: NodeJS.ProcessEnv): void {
  const problems = listAddresses(settings).flatMap(({ name, actual, expected }) =>
    actual === expected ? [] : [`  ${name} is ${actual || "empty"} but must be ${expected}`],
  );
  if (problems.length === 0) return;
  const isForeign = settings["PARTNER_SERVICE_BASE_URL"] !== settings["SERVICE_BASE_URL"];
  const alone = `\nBoth apps are started here. To run ${brandName} alone, with a service elsewhere: npm run harbor`;
  throw new Error(`These addresses don't match (see .env.example):\n${problems.join("\n")}${isForeign ? alone : ""}`);
}
