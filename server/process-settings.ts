import * as z from "zod/mini";
import { parsedSetting, readEnvironment } from "../lib/kit/environment.ts";
import { memoize } from "../lib/kit/memoize.ts";
import { parseAddressesAndNetworks } from "../lib/kit/networks.ts";
import { parseListenSetting } from "./listen-address.ts";

const listen = z.optional(
  parsedSetting(parseListenSetting, "must be a port like 4000, or an address like 0.0.0.0:4000"),
);
const proxies = parsedSetting(
  parseAddressesAndNetworks,
  "must be addresses or networks like 127.0.0.1,10.1.0.0/16, separated by commas",
);

/** A process's settings, whichever app it runs; `.env.example` explains each. The log and the tracing SDK read theirs themselves. */
export const processEnvironment = z.object({
  ROLES: z.optional(z.string()),
  PARTNER_LISTEN: listen,
  SERVICE_LISTEN: listen,
  SERVICE_AUTH_LISTEN: listen,
  METRICS_LISTEN: listen,
  OPERATOR_PORT: listen,
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
    partnerListen: settings.PARTNER_LISTEN,
    serviceListen: settings.SERVICE_LISTEN,
    serviceAuthListen: settings.SERVICE_AUTH_LISTEN,
    metricsListen: settings.METRICS_LISTEN,
    operatorListen: settings.OPERATOR_PORT,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
  };
});
