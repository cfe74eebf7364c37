import { brandName } from "../brand/name.ts";

// What one app's settings must say about the other's addresses. They are separate settings, because the apps may run apart.
const fitting: Record<string, (settings: NodeJS.ProcessEnv) => string | undefined> = {
  PARTNER_SERVICE_BASE_URL: (settings) => settings["SERVICE_BASE_URL"],
  PARTNER_SERVICE_AUTH_URL: (settings) => settings["SERVICE_AUTH_URL"] || settings["SERVICE_BASE_URL"],
  SERVICE_SEED_REDIRECT_URI: (settings) => `${settings["PARTNER_BASE_URL"]}/callback`,
  SERVICE_SEED_CUSTOMERS_URL: (settings) => settings["PARTNER_BASE_URL"],
  SERVICE_SEED_WEBHOOK_URL: (settings) => `${settings["PARTNER_BASE_URL"]}/webhooks`,
};

/** Throws a sentence per address that does not match: both apps would start and then not find each other. */
export function requireFittingAddresses(settings: NodeJS.ProcessEnv): void {
  const problems = Object.entries(fitting).flatMap(([name, addressOf]) => {
    const wanted = addressOf(settings);
    return settings[name] === wanted ? [] : [`  ${name} is ${settings[name] || "empty"} and must be ${wanted}`];
  });
  if (problems.length === 0) return;
  const isForeign = settings["PARTNER_SERVICE_BASE_URL"] !== settings["SERVICE_BASE_URL"];
  const alone = `\nBoth apps are started here. To run ${brandName} alone, with a service elsewhere: npm run harbor`;
  throw new Error(`These addresses do not match (see .env.example):\n${problems.join("\n")}${isForeign ? alone : ""}`);
}
