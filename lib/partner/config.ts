import * as z from "zod/mini";
import type { BookFields } from "#client";
import { personalFieldNames } from "../contract/people.ts";
import { databaseSetting } from "../kit/database-address.ts";
import {
  addressSetting,
  isDemoKey,
  keyringSetting,
  originSetting,
  parsedSetting,
  readEnvironment,
  secretSetting,
} from "../kit/environment.ts";
import { hideInLog } from "../kit/log.ts";
import { memoize } from "../kit/memoize.ts";
import { parseAddressesAndNetworks } from "../kit/networks.ts";

// Here, because every process of Harbor reads its settings before it logs.
hideInLog(personalFieldNames);

const headerSetting = z.string().check(z.regex(/^[A-Za-z0-9-]*$/, "must be a header's name"));
const pathSetting = z.string().check(z.regex(/^(\/[\w.~-]+)+$/, "must be a path like /v1/payments"));
const features = ["state", "pkce", "revocation", "replays", "console"] as const;
type Feature = (typeof features)[number];
const standardSecret = /^whsec_[A-Za-z0-9+/]+=*$/;

/** Harbor's settings as environment variables; `.env.example` explains each. */
export const partnerEnvironment = z
  .object({
    PARTNER_BASE_URL: originSetting,
    PARTNER_DATABASE_URL: databaseSetting,
    PARTNER_DATABASE_DIRECT_URL: z.optional(databaseSetting),
    PARTNER_SERVICE_BASE_URL: addressSetting,
    PARTNER_SERVICE_AUTH_URL: z.optional(addressSetting),
    PARTNER_SERVICE_NAME: z.string(),
    PARTNER_SERVICE_FEATURES: z._default(
      parsedSetting(parseFeatures, `must be none, or some of ${features.join(", ")}, separated by commas`),
      // Without replays by default: a service that doesn't support them may pay twice.
      new Set<Feature>(["state", "pkce", "revocation"]),
    ),
    PARTNER_IDEMPOTENCY_HEADER: z._default(
      headerSetting.check(z.minLength(1, "must be a header's name")),
      "idempotency-key",
    ),
    // The payment path, its field names and the accounts path are not published.
    PARTNER_BOOK_PATH: z._default(pathSetting, "/v1/routines/book"),
    PARTNER_BOOK_FIELDS: z._default(
      z.string().check(
        z.regex(/^\s*\w+(\s*,\s*\w+){3}\s*$/, "must be four names, separated by commas"),
        z.refine((names) => new Set(textsOf(names)).size === 4, "must be four different names"),
      ),
      "name,amount,source_id,destination_id",
    ),
    PARTNER_ACCOUNTS_PATH: z._default(pathSetting, "/v1/accounts"),
    PARTNER_STATUS_MEANINGS: z._default(
      z
        .string()
        .check(
          z.regex(
            /^(\s*[^\s:,]+\s*:\s*(open|succeeded|failed|cancelled)\s*(,|$))*$/i,
            "must be words like credited:succeeded, blocked:failed",
          ),
        ),
      "",
    ),
    PARTNER_CLIENT_ID: z.string(),
    PARTNER_CLIENT_SECRET: z.string(),
    PARTNER_PROVIDER: z.string(),
    PARTNER_CUSTOMER_ENDPOINT_SECRET: z.string(),
    PARTNER_CUSTOMER_ENDPOINT_ADDRESSES: z.optional(
      parsedSetting(parseAddressesAndNetworks, "must be addresses or networks like 192.0.2.7,10.1.0.0/16"),
    ),
    PARTNER_WEBHOOK_SECRET: z.string(),
    PARTNER_WEBHOOK_SIGNATURE_HEADER: z._default(headerSetting, ""),
    PARTNER_BUSINESS_USER_ID: z.string(),
    PARTNER_BUSINESS_USER_PHONE: z.string(),
    PARTNER_ENCRYPTION_KEYS: keyringSetting,
    PARTNER_SESSION_SECRET: secretSetting,
    PARTNER_SANDBOX: z._default(z.enum(["on", "off"], "must be on or off"), "off"),
  })
  .check(
    z.refine((all) => areSecrets(all.PARTNER_WEBHOOK_SECRET, all.PARTNER_WEBHOOK_SIGNATURE_HEADER), {
      message: "must be whsec_ and base64, or several of these separated by commas",
      path: ["PARTNER_WEBHOOK_SECRET"],
    }),
  );

export const partnerConfig = memoize(() => readPartnerConfig(process.env));

/** Harbor's settings. Throws one error that names every invalid setting, without its value. */
export function readPartnerConfig(environment: Record<string, string | undefined>) {
  const settings = readEnvironment(partnerEnvironment, environment);
  if (settings.PARTNER_SANDBOX === "off") refuseDemoValues(settings);
  const databaseDirectUrl = settings.PARTNER_DATABASE_DIRECT_URL ?? settings.PARTNER_DATABASE_URL;
  const serviceFeatures = settings.PARTNER_SERVICE_FEATURES;
  return {
    baseUrl: settings.PARTNER_BASE_URL,
    databaseUrl: settings.PARTNER_DATABASE_URL,
    databaseDirectUrl,
    isDatabasePooled: databaseDirectUrl !== settings.PARTNER_DATABASE_URL,
    serviceBaseUrl: settings.PARTNER_SERVICE_BASE_URL,
    serviceAuthUrl: settings.PARTNER_SERVICE_AUTH_URL ?? settings.PARTNER_SERVICE_BASE_URL,
    serviceName: settings.PARTNER_SERVICE_NAME,
    hasServiceConsole: serviceFeatures.has("console"),
    idempotencyHeader: settings.PARTNER_IDEMPOTENCY_HEADER.toLowerCase(),
    bookPath: settings.PARTNER_BOOK_PATH,
    bookFields: bookFieldsOf(settings.PARTNER_BOOK_FIELDS),
    accountsPath: settings.PARTNER_ACCOUNTS_PATH,
    isReplayKnown: serviceFeatures.has("replays"),
    isStateUsed: serviceFeatures.has("state"),
    isCodeChallengeUsed: serviceFeatures.has("pkce"),
    isRevocationUsed: serviceFeatures.has("revocation"),
    statusMeanings: meaningsOf(settings.PARTNER_STATUS_MEANINGS),
    clientId: settings.PARTNER_CLIENT_ID,
    clientSecret: settings.PARTNER_CLIENT_SECRET,
    provider: settings.PARTNER_PROVIDER,
    customerEndpointSecrets: textsOf(settings.PARTNER_CUSTOMER_ENDPOINT_SECRET),
    customerEndpointAddresses: settings.PARTNER_CUSTOMER_ENDPOINT_ADDRESSES ?? [],
    webhookSecrets: textsOf(settings.PARTNER_WEBHOOK_SECRET),
    webhookSignatureHeader: settings.PARTNER_WEBHOOK_SIGNATURE_HEADER.toLowerCase() || undefined,
    businessUserId: settings.PARTNER_BUSINESS_USER_ID,
    businessUserPhone: settings.PARTNER_BUSINESS_USER_PHONE,
    keyring: settings.PARTNER_ENCRYPTION_KEYS,
    sessionSecret: settings.PARTNER_SESSION_SECRET,
    isSandbox: settings.PARTNER_SANDBOX === "on",
  };
}

export type PartnerConfig = ReturnType<typeof readPartnerConfig>;

function parseFeatures(setting: string): Set<Feature> {
  if (setting.trim() === "none") return new Set();
  const found = textsOf(setting).map((text) => features.find((feature) => feature === text));
  if (found.includes(undefined)) throw new Error("unknown feature");
  return new Set(found.filter((feature) => feature !== undefined));
}

const meanings = ["open", "succeeded", "failed", "cancelled"] as const;

function meaningsOf(setting: string): Map<string, (typeof meanings)[number]> {
  const pairs = setting.toLowerCase().split(",").filter(Boolean);
  return new Map(
    pairs.flatMap((pair) => {
      const [word = "", name] = pair.split(":").map((part) => part.trim());
      const meaning = meanings.find((known) => known === name);
      return meaning ? [[word.replaceAll("-", "_"), meaning] as const] : [];
    }),
  );
}

function textsOf(setting: string): string[] {
  return setting.split(",").map((text) => text.trim());
}

function bookFieldsOf(setting: string): BookFields {
  const [name = "", amount = "", source_id = "", destination_id = ""] = textsOf(setting);
  return { name, amount, source_id, destination_id };
}

// Standard Webhooks secrets have a fixed format; any other scheme takes any text.
function areSecrets(setting: string, signatureHeader: string): boolean {
  return textsOf(setting).every((secret) => (signatureHeader ? secret !== "" : standardSecret.test(secret)));
}

// The values in .env.example are public and contain "demo".
function refuseDemoValues(settings: z.output<typeof partnerEnvironment>): void {
  const names = Object.entries(settings)
    .filter(([, value]) => typeof value === "string" && textsOf(value).some(isDemoText))
    .map(([name]) => name);
  if (settings.PARTNER_ENCRYPTION_KEYS.some(isDemoKey)) names.push("PARTNER_ENCRYPTION_KEYS");
  if (names.length > 0) {
    throw new Error(`PARTNER_SANDBOX=off refuses demo values. Set your own: ${names.join(", ")}.`);
  }
}

function isDemoText(value: string): boolean {
  const [, webhookKey] = /^whsec_(.+)$/.exec(value) ?? [];
  const plain = webhookKey ? Buffer.from(webhookKey, "base64").toString() : value;
  return plain.startsWith("demo");
}
