import { brandName } from "../brand/name.ts";
import { readEnvironment } from "../lib/kit/environment.ts";
import { partnerEnvironment } from "../lib/partner/config.ts";
import { partner } from "../lib/partner/process-partner.ts";
import { addressOf, findListenAddress } from "../server/listen-address.ts";
import { processSettings } from "../server/process-settings.ts";
import { requireSameService } from "./one-service.ts";
import { requireFreePorts } from "./ports.ts";
import { describeRegistration, probeService } from "./registration.ts";
import { startApps } from "./start-apps.ts";

// Harbor alone, with its own database, against the service in the settings: what `npm run harbor` does.

await startApps({
  command: "harbor",
  apps: ["partner"],
  roles: "partner,partner-worker",
  check: async (dataFolder) => {
    // The database starts after this, and its address is set then.
    const PARTNER_DATABASE_URL = process.env["PARTNER_DATABASE_URL"] || "postgres://embedded";
    const settings = readEnvironment(partnerEnvironment, { ...process.env, PARTNER_DATABASE_URL });
    const address = await findListenAddress(settings.PARTNER_BASE_URL, processSettings().partnerListen);
    await requireFreePorts([addressOf(address)]);
    requireSameService(dataFolder, settings.PARTNER_SERVICE_BASE_URL);
  },
  greet: async ({ seconds, logFile }) => {
    const config = partner().config;
    return `
${brandName} runs, ready in ${seconds} s.

  Address   ${config.baseUrl}
  Service   ${await probeService(config.serviceBaseUrl)}
  Log       ${logFile}

${describeRegistration(config)}
docs/going-live.md leads through every setting. Ctrl-C stops everything, including the database.
`;
  },
});
