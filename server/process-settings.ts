import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { brandName } from "../brand/name.ts";
import { parsedSetting, readEnvironment, wholeNumberSetting } from "../lib/kit/environment.ts";
import { memoize } from "../lib/kit/memoize.ts";
import { parseAddressesAndNetworks } from "../lib/kit/networks.ts";
import { parseListenSetting, parseServiceListenSetting } from "./listen-address.ts";
import type { Role } from "./roles.ts";

const listen = z.optional(
  parsedSetting(parseListenSetting, "must be a port like 4000, or an address like 0.0.0.0:4000"),
);
const serviceListen = z.optional(
  parsedSetting(
    parseServiceListenSetting,
    "must be a port like 4000, an address like 0.0.0.0:4000, or two of these: the API's and the pages'",
  ),
);
const proxies = parsedSetting(
  parseAddressesAndNetworks,
  "must be addresses or networks like 127.0.0.1,10.1.0.0/16, separated by commas",
);
const drainSeconds = wholeNumberSetting.check(z.lte(600, "must be at most 600"));

/** A process's settings, whichever app it runs (`.env.example`). The log and the tracing SDK read their own. */
export const processEnvironment = z.object({
  ROLES: z.optional(z.string()),
  PARTNER_LISTEN: listen,
  SERVICE_LISTEN: serviceListen,
  METRICS_LISTEN: listen,
  OPERATOR_PORT: listen,
  TRUSTED_PROXIES: z.optional(proxies),
  PROVIDERS: z.optional(z.string()),
  DRAIN_SECONDS: z._default(drainSeconds, 0),
  DATA_FOLDER: z.optional(z.string()),
  LOG_LEVEL: z.optional(z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])),
  LOG_FILE: z.optional(z.string()),
});

/** Where the listeners bind, and which proxies they trust. Throws an error with one sentence per invalid setting. */
export const processSettings = memoize(() => {
  const settings = readEnvironment(processEnvironment, process.env);
  return {
    partnerListen: settings.PARTNER_LISTEN,
    serviceListen: settings.SERVICE_LISTEN,
    metricsListen: settings.METRICS_LISTEN,
    operatorListen: settings.OPERATOR_PORT,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    providers: settings.PROVIDERS,
    drainMs: settings.DRAIN_SECONDS * 1000,
  };
});

const embedded = `\`npm run demo\` (both apps) and \`npm run harbor\` (${brandName} alone) bring their own.`;
const databases = [
  { app: /^service-/, setting: "SERVICE_DATABASE_URL" },
  { app: /^partner/, setting: "PARTNER_DATABASE_URL" },
];

/** Throws if a process of these roles lacks what `npm start` doesn't bring along: databases and a build of the pages. */
export function requirePrerequisites(roles: ReadonlySet<Role>, environment: NodeJS.ProcessEnv): void {
  const missing = databases
    .filter(({ app, setting }) => [...roles].some((role) => app.test(role)) && !environment[setting])
    .map(({ setting }) => setting);
  if (missing.length > 0) {
    throw new Error(
      `No database is configured: set ${missing.join(" and ")} to your PostgreSQL databases. ${embedded}`,
    );
  }
  const folder = environment["NEXT_DIST_DIR"] || ".next";
  const hasPages = roles.has("partner") || roles.has("service-web");
  if (hasPages && environment.NODE_ENV === "production" && !existsSync(join(folder, "BUILD_ID"))) {
    throw new Error(`The pages are not built in ${folder}: run \`npm run build\` first.`);
  }
}
