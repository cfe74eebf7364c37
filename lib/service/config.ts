import * as z from "zod/mini";
import { customersUrl, redirectUris, webAddress } from "../contract/client-settings.ts";
import { limits } from "../contract/limits.ts";
import { personalFieldNames } from "../contract/people.ts";
import { databaseSetting } from "../kit/database-address.ts";
import {
  isDemoKey,
  keyringSetting,
  originSetting,
  parsedSetting,
  readEnvironment,
  secretSetting,
  wholeNumberSetting,
} from "../kit/environment.ts";
import { hideInLog } from "../kit/log.ts";
import { memoize } from "../kit/memoize.ts";
import { parseHostNames, parseNetworks } from "../kit/networks.ts";

// Every process of the service loads its settings, so setting this here keeps personal data out of all logs.
hideInLog(personalFieldNames);

const networks = parsedSetting(parseNetworks, "must be networks like 10.1.0.0/16, separated by commas");

const hostNames = parsedSetting(
  parseHostNames,
  "must be host names like localhost, without ports, separated by commas",
);

// What an Authorization header can carry (RFC 6750 section 2.1).
const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;

const seedClient = z.strictObject({
  client_id: z.string().check(z.minLength(1)),
  client_secret: z.string().check(z.minLength(1)),
  name: z.optional(z.string()),
  redirect_uris: redirectUris.check(z.minLength(1)),
  customers_url: z._default(z.nullable(customersUrl), null),
  trusted_authentication: z._default(z.boolean(), true),
  webhook_url: z._default(z.nullable(webAddress), null),
});
/** The client that a sandbox creates at start, with the API's field names. */
export type SeedClient = z.input<typeof seedClient>;

export const serviceEnvironment = z.object({
  SERVICE_MODE: z.enum(["sandbox", "production"]),
  SERVICE_BASE_URL: originSetting,
  SERVICE_AUTH_URL: z.optional(originSetting),
  SERVICE_HOSTS: z.optional(hostNames),
  SERVICE_DATABASE_URL: databaseSetting,
  SERVICE_DATABASE_DIRECT_URL: z.optional(databaseSetting),
  SERVICE_CELLS: z._default(
    wholeNumberSetting.check(z.gte(1, "must be at least 1"), z.lte(1000, "must be at most 1000")),
    1,
  ),
  SERVICE_ENCRYPTION_KEYS: keyringSetting,
  SERVICE_FINGERPRINT_KEY: secretSetting,
  SERVICE_SETTLEMENT_DELAY_MS: z._default(wholeNumberSetting, 2000),
  SERVICE_REQUESTS_PER_SECOND_MAX: z._default(wholeNumberSetting, 1000),
  SERVICE_OUTBOUND_NETWORKS: z.optional(networks),
  OPERATOR_TOKEN: z.optional(secretSetting.check(z.regex(bearerToken, "must be only letters, digits and -._~+/"))),
  SERVICE_SEED_CLIENT: z.optional(
    parsedSetting(
      (setting) => seedClient.parse(JSON.parse(setting)),
      "must be JSON like the one in .env.example, with addresses that registration accepts",
    ),
  ),
});

/** Only SERVICE_SEED_CLIENT, for commands that need no other setting. */
export function readSeedClient(environment: Record<string, string | undefined>) {
  return readEnvironment(z.pick(serviceEnvironment, { SERVICE_SEED_CLIENT: true }), environment).SERVICE_SEED_CLIENT;
}

/** Only SERVICE_CELLS. */
export function readCellCount(environment: Record<string, string | undefined>): number {
  return readEnvironment(z.pick(serviceEnvironment, { SERVICE_CELLS: true }), environment).SERVICE_CELLS;
}

/** Throws an error with one sentence per invalid setting, with its name but never its value. */
export const serviceConfig = memoize(() => {
  const settings = readEnvironment(serviceEnvironment, process.env);
  if (settings.SERVICE_MODE === "production") refuseDemoValues(settings);
  const databaseDirectUrl = settings.SERVICE_DATABASE_DIRECT_URL ?? settings.SERVICE_DATABASE_URL;
  // A cell is a connection's search path, and a transaction pooler gives that connection to others.
  if (settings.SERVICE_CELLS > 1 && databaseDirectUrl !== settings.SERVICE_DATABASE_URL) {
    throw new Error("SERVICE_CELLS above 1 needs PostgreSQL's own address in SERVICE_DATABASE_URL, not a pooler's.");
  }
  return {
    mode: settings.SERVICE_MODE,
    baseUrl: settings.SERVICE_BASE_URL,
    authUrl: settings.SERVICE_AUTH_URL ?? settings.SERVICE_BASE_URL,
    otherHosts: settings.SERVICE_HOSTS ?? [],
    databaseUrl: settings.SERVICE_DATABASE_URL,
    databaseDirectUrl,
    isDatabasePooled: databaseDirectUrl !== settings.SERVICE_DATABASE_URL,
    cells: settings.SERVICE_CELLS,
    keyring: settings.SERVICE_ENCRYPTION_KEYS,
    fingerprintKey: settings.SERVICE_FINGERPRINT_KEY,
    screeningDelayMs: settings.SERVICE_SETTLEMENT_DELAY_MS / 2,
    settlementDelayMs: settings.SERVICE_SETTLEMENT_DELAY_MS,
    amountCentsMax: limits.routineAmountCentsMax as number,
    requestsPerSecondMax: settings.SERVICE_REQUESTS_PER_SECOND_MAX,
    outboundNetworks: settings.SERVICE_OUTBOUND_NETWORKS ?? [],
    operatorToken: settings.OPERATOR_TOKEN,
    // A sandbox's webhook receiver may run on the same machine (Decision D14).
    allowsLoopback: settings.SERVICE_MODE === "sandbox",
  };
});

// Decision D1: production refuses the values of .env.example, which say "demo".
function refuseDemoValues(settings: z.output<typeof serviceEnvironment>): void {
  const demoKeys = settings.SERVICE_ENCRYPTION_KEYS.some(isDemoKey);
  const demoSettings = Object.entries(settings).filter(
    ([name, value]) => name.startsWith("SERVICE_SEED_") || (typeof value === "string" && value.startsWith("demo")),
  );
  const names = [...(demoKeys ? ["SERVICE_ENCRYPTION_KEYS"] : []), ...demoSettings.map(([name]) => name)];
  if (names.length > 0) {
    throw new Error(`SERVICE_MODE=production refuses demo values. Set your own, or remove: ${names.join(", ")}.`);
  }
}
