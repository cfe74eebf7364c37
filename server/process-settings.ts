import * as z from "zod/mini";
import { parsedSetting, readEnvironment, wholeNumberSetting } from "../lib/kit/environment.ts";
import { memoize } from "../lib/kit/memoize.ts";
import { parseAddressesAndNetworks } from "../lib/kit/networks.ts";

const port = z.optional(wholeNumberSetting.check(z.minimum(1, "must be a port"), z.maximum(65_535, "must be a port")));
const proxies = parsedSetting(
  parseAddressesAndNetworks,
  "must be addresses or networks like 127.0.0.1,10.1.0.0/16, separated by commas",
);

/** The settings of a process, whichever app it runs; `.env.example` explains each. The log reads its own two settings, and the SDK for spans its own. */
export const processEnvironment = z.object({
  ROLES: z.optional(z.string()),
  LISTEN_HOST: z.optional(z.string()),
  PARTNER_LISTEN_PORT: port,
  SERVICE_LISTEN_PORT: port,
  SERVICE_AUTH_LISTEN_PORT: port,
  METRICS_PORT: port,
  METRICS_HOST: z.optional(z.string()),
  TRUSTED_PROXIES: z.optional(proxies),
  DATA_FOLDER: z.optional(z.string()),
  LOG_LEVEL: z.optional(z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])),
  LOG_FILE: z.optional(z.string()),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(z.url("must be an address like http://127.0.0.1:4318")),
});

/** Where the listeners bind, and which proxies they trust. Throws a sentence per wrong setting. */
export const processSettings = memoize(() => {
  const settings = readEnvironment(processEnvironment, process.env);
  return {
    listenHost: settings.LISTEN_HOST,
    partnerListenPort: settings.PARTNER_LISTEN_PORT,
    serviceListenPort: settings.SERVICE_LISTEN_PORT,
    serviceAuthListenPort: settings.SERVICE_AUTH_LISTEN_PORT,
    metricsPort: settings.METRICS_PORT,
    metricsHost: settings.METRICS_HOST,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
  };
});
