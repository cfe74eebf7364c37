import * as z from "zod/mini";
import { personalFieldNames } from "../contract/personal-fields.ts";
import { isDemoKey, keyringSetting, originSetting, readEnvironment } from "../kit/environment.ts";
import { hideInLog } from "../kit/log.ts";
import { memoize } from "../kit/memoize.ts";

// Every process of Harbor reads its settings, so none writes a log line that shows a person's data.
hideInLog(personalFieldNames);

/** Harbor's settings as environment variables; `.env.example` explains each. */
export const partnerEnvironment = z.object({
  PARTNER_BASE_URL: originSetting,
  PARTNER_DATABASE_URL: z.url("must be a postgres:// address"),
  PARTNER_SERVICE_BASE_URL: originSetting,
  PARTNER_SERVICE_AUTH_URL: z.optional(originSetting),
  PARTNER_CLIENT_ID: z.string(),
  PARTNER_CLIENT_SECRET: z.string(),
  PARTNER_PROVIDER: z.string(),
  PARTNER_CUSTOMER_ENDPOINT_SECRET: z.string(),
  PARTNER_WEBHOOK_SECRET: z.string().check(z.regex(/^whsec_[A-Za-z0-9+/]+=*$/, "must be whsec_ and base64")),
  PARTNER_BUSINESS_USER_ID: z.string(),
  PARTNER_BUSINESS_USER_PHONE: z.string(),
  PARTNER_ENCRYPTION_KEYS: keyringSetting,
  PARTNER_SESSION_SECRET: z.string().check(z.minLength(32, "must have at least 32 characters")),
  PARTNER_SANDBOX: z._default(z.enum(["on", "off"], "must be on or off"), "off"),
});

/** Harbor's settings, checked once. Throws a sentence per wrong setting, naming it and never its value. */
export const partnerConfig = memoize(() => {
  const settings = readEnvironment(partnerEnvironment, process.env);
  if (settings.PARTNER_SANDBOX === "off") refuseDemoValues(settings);
  return {
    baseUrl: settings.PARTNER_BASE_URL,
    databaseUrl: settings.PARTNER_DATABASE_URL,
    serviceBaseUrl: settings.PARTNER_SERVICE_BASE_URL,
    serviceAuthUrl: settings.PARTNER_SERVICE_AUTH_URL ?? settings.PARTNER_SERVICE_BASE_URL,
    clientId: settings.PARTNER_CLIENT_ID,
    clientSecret: settings.PARTNER_CLIENT_SECRET,
    provider: settings.PARTNER_PROVIDER,
    customerEndpointSecret: settings.PARTNER_CUSTOMER_ENDPOINT_SECRET,
    webhookSecret: settings.PARTNER_WEBHOOK_SECRET,
    businessUserId: settings.PARTNER_BUSINESS_USER_ID,
    businessUserPhone: settings.PARTNER_BUSINESS_USER_PHONE,
    keyring: settings.PARTNER_ENCRYPTION_KEYS,
    sessionSecret: settings.PARTNER_SESSION_SECRET,
    isSandbox: settings.PARTNER_SANDBOX === "on",
  };
});

// The secrets of .env.example are public: each says "demo" in its own way, and Harbor starts with none outside a sandbox.
function refuseDemoValues(settings: z.output<typeof partnerEnvironment>): void {
  const names = Object.entries(settings)
    .filter(([, value]) => (typeof value === "string" ? isDemoText(value) : value.some(isDemoKey)))
    .map(([name]) => name);
  if (names.length > 0) {
    throw new Error(`PARTNER_SANDBOX=off refuses demo values. Set your own: ${names.join(", ")}.`);
  }
}

function isDemoText(value: string): boolean {
  const [, webhookKey] = /^whsec_(.+)$/.exec(value) ?? [];
  const plain = webhookKey ? Buffer.from(webhookKey, "base64").toString() : value;
  return plain.startsWith("demo");
}
