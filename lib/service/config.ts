import * as z from "zod/mini";
import { limits } from "../contract/limits.ts";
import { personalFieldNames } from "../contract/personal-fields.ts";
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
import { parseNetworks } from "../kit/networks.ts";

// Every process of the service reads its settings, so none writes a log line that shows a person's data.
hideInLog(personalFieldNames);

const networks = parsedSetting(parseNetworks, "must be networks like 10.1.0.0/16, separated by commas");

// Nothing is attempted for longer than a few days, and whoever missed some looks within the week.
const deliveriesKeptDaysMin = 7;
// A token that expired is told apart from an unknown one for so long (Decision D5).
const endedKeptDaysMin = 30;

/** The service's settings as environment variables; `.env.example` explains each. */
export const serviceEnvironment = z.object({
  SERVICE_MODE: z.enum(["sandbox", "production"]),
  SERVICE_BASE_URL: originSetting,
  SERVICE_AUTH_URL: z.optional(originSetting),
  SERVICE_DATABASE_URL: databaseSetting,
  SERVICE_DATABASE_DIRECT_URL: z.optional(databaseSetting),
  SERVICE_DATABASE_POOLED: z._default(z.enum(["on", "off"], "must be on or off"), "off"),
  SERVICE_ENCRYPTION_KEYS: keyringSetting,
  SERVICE_FINGERPRINT_KEY: secretSetting,
  SERVICE_SCREENING_DELAY_MS: z._default(wholeNumberSetting, 1000),
  SERVICE_SETTLEMENT_DELAY_MS: z._default(wholeNumberSetting, 2000),
  SERVICE_AMOUNT_CENTS_MAX: z._default(wholeNumberSetting, limits.routineAmountCentsMax),
  SERVICE_TOKEN_REQUESTS_PER_SECOND_MAX: z._default(wholeNumberSetting, 1000),
  SERVICE_CLIENT_REQUESTS_PER_SECOND_MAX: z._default(wholeNumberSetting, 5000),
  SERVICE_ADDRESS_REQUESTS_PER_SECOND_MAX: z._default(wholeNumberSetting, 10_000),
  SERVICE_DELIVERIES_KEPT_DAYS: z._default(
    wholeNumberSetting.check(z.minimum(deliveriesKeptDaysMin, `must be at least ${deliveriesKeptDaysMin}`)),
    90,
  ),
  SERVICE_ENDED_KEPT_DAYS: z._default(
    wholeNumberSetting.check(z.minimum(endedKeptDaysMin, `must be at least ${endedKeptDaysMin}`)),
    endedKeptDaysMin,
  ),
  SERVICE_OUTBOUND_NETWORKS: z.optional(networks),
  SERVICE_SEED_CLIENT_ID: z.optional(z.string()),
  SERVICE_SEED_CLIENT_NAME: z.optional(z.string()),
  SERVICE_SEED_CLIENT_SECRET: z.optional(z.string()),
  SERVICE_SEED_REDIRECT_URI: z.optional(z.url()),
  SERVICE_SEED_CUSTOMERS_URL: z.optional(z.url()),
  SERVICE_SEED_PROVIDER: z.optional(z.string()),
  SERVICE_SEED_CUSTOMER_ENDPOINT_SECRET: z.optional(z.string()),
  SERVICE_SEED_WEBHOOK_URL: z.optional(z.url()),
  SERVICE_SEED_WEBHOOK_SECRET: z.optional(z.string()),
  SERVICE_SEED_BUSINESS_USER_ID: z.optional(z.uuid()),
  SERVICE_SEED_BUSINESS_USER_PHONE: z.optional(z.string()),
});

/** The service's settings, checked once. Throws a sentence per wrong setting, naming it and never its value. */
export const serviceConfig = memoize(() => {
  const settings = readEnvironment(serviceEnvironment, process.env);
  if (settings.SERVICE_MODE === "production") refuseDemoValues(settings);
  if (settings.SERVICE_DATABASE_POOLED === "on" && !settings.SERVICE_DATABASE_DIRECT_URL) {
    throw new Error(
      "SERVICE_DATABASE_POOLED=on needs SERVICE_DATABASE_DIRECT_URL, for what no pooler in transaction mode carries.",
    );
  }
  return {
    mode: settings.SERVICE_MODE,
    baseUrl: settings.SERVICE_BASE_URL,
    authUrl: settings.SERVICE_AUTH_URL ?? settings.SERVICE_BASE_URL,
    databaseUrl: settings.SERVICE_DATABASE_URL,
    databaseDirectUrl: settings.SERVICE_DATABASE_DIRECT_URL ?? settings.SERVICE_DATABASE_URL,
    isDatabasePooled: settings.SERVICE_DATABASE_POOLED === "on",
    keyring: settings.SERVICE_ENCRYPTION_KEYS,
    fingerprintKey: settings.SERVICE_FINGERPRINT_KEY,
    screeningDelayMs: settings.SERVICE_SCREENING_DELAY_MS,
    settlementDelayMs: settings.SERVICE_SETTLEMENT_DELAY_MS,
    amountCentsMax: settings.SERVICE_AMOUNT_CENTS_MAX,
    tokenRequestsPerSecondMax: settings.SERVICE_TOKEN_REQUESTS_PER_SECOND_MAX,
    clientRequestsPerSecondMax: settings.SERVICE_CLIENT_REQUESTS_PER_SECOND_MAX,
    addressRequestsPerSecondMax: settings.SERVICE_ADDRESS_REQUESTS_PER_SECOND_MAX,
    deliveriesKeptDays: settings.SERVICE_DELIVERIES_KEPT_DAYS,
    endedKeptDays: settings.SERVICE_ENDED_KEPT_DAYS,
    outboundNetworks: settings.SERVICE_OUTBOUND_NETWORKS ?? [],
    // Whoever tries a sandbox has the webhook receiver on the same machine (Decision D14).
    allowsLoopback: settings.SERVICE_MODE === "sandbox",
  };
});

// Decision D1: whatever came out of .env.example says so in its text, and a production start refuses it.
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
