import { existsSync, readdirSync, statSync } from "node:fs";
import { readSeedClient, type SeedClient } from "../lib/service/config.ts";
import { seedValuesOf } from "../lib/service/sandbox/seed.ts";
import type { ServiceOptions } from "./service-options.ts";

type Settings = Record<string, string | undefined>;

/**
 * The settings of the service alone, which override the environment's: always a sandbox, with its own database and one client
 * as the options describe it. Decision D19
 * @param settings the environment; if its client has the same id, its settings for that client apply too
 * @param freePort the port for `--port 0`
 */
export function serviceSettings(
  options: ServiceOptions,
  { settings, freePort }: { settings: Settings; freePort: number },
): Record<string, string> {
  const clientId = options["client-id"] ?? "demo-client";
  const known = readSeedClient(settings);
  const given = {
    name: options["client-name"],
    client_secret: options["client-secret"],
    redirect_uris: options["redirect-uri"] === undefined ? undefined : [options["redirect-uri"]],
    customers_url: options["customers-url"],
    trusted_authentication:
      options["trusted-authentication"] === undefined ? undefined : options["trusted-authentication"] === "on",
    webhook_url: options["webhook-url"],
  };
  const client = {
    ...(known?.client_id === clientId ? known : demoClientOf(clientId)),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  return {
    SERVICE_MODE: "sandbox",
    SERVICE_DATABASE_URL: "",
    SERVICE_DATABASE_DIRECT_URL: "",
    ...addressesFor(options, { settings, freePort }),
    SERVICE_SEED_CLIENT: JSON.stringify(client),
  };
}

// Where programs on this machine and in its containers find the service.
const ownHosts = ["localhost", "127.0.0.1", "host.docker.internal"];
const everyInterface = ["0.0.0.0", "::"];

/** The issuer is the public address, else the interface's; the service answers under the other names too. Decision D19 */
function addressesFor(
  { port, host, "public-url": publicUrl }: ServiceOptions,
  { settings, freePort }: { settings: Settings; freePort: number },
): Record<string, string> {
  const isOneInterface = host !== undefined && !everyInterface.includes(host);
  const names = [
    ...ownHosts,
    ...(settings["SERVICE_HOSTS"]?.split(",") ?? []),
    ...(isOneInterface ? [inAddress(host)] : []),
  ];
  const hosts = { SERVICE_HOSTS: [...new Set(names)].filter((name) => name !== "").join(",") };
  if (port === undefined && host === undefined && publicUrl === undefined) return hosts;
  const settingsPort = new URL(settings["SERVICE_BASE_URL"] || "http://127.0.0.1:4000").port || "4000";
  const listenPort = port === "0" ? freePort : (port ?? settingsPort);
  const address = publicUrl ?? `http://${inAddress(isOneInterface ? host : "127.0.0.1")}:${listenPort}`;
  return {
    ...hosts,
    SERVICE_BASE_URL: address,
    SERVICE_AUTH_URL: address,
    SERVICE_LISTEN: `${inAddress(host ?? "127.0.0.1")}:${listenPort}`,
  };
}

function inAddress(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

// As public as the client of .env.example: its secret is derived from its id.
function demoClientOf(clientId: string): SeedClient {
  return {
    client_id: clientId,
    client_secret: `demo-client-secret-of-${clientId}`,
    name: clientId,
    redirect_uris: ["http://localhost:3000/callback"],
    customers_url: null,
    webhook_url: null,
  };
}

/** The line that a program starting the service waits for: JSON with the field names of `POST /sandbox/clients`. */
export type Readiness = {
  base_url: string;
  auth_url: string;
  client_id: string;
  client_secret: string;
  provider: string;
  webhook_secret: string;
  customer_endpoint_secret: string;
  business_profile_id: string;
  business_user_id: string;
  business_user_phone: string;
  redirect_uris: string[];
  webhook_url: string | null;
  customers_url: string | null;
  data: string;
};

/** Describes a service that runs with these settings. */
export function readinessOf(settings: Settings, { data }: { data: string }): Readiness {
  const setting = (name: string) => settings[name] ?? "";
  const baseUrl = new URL(setting("SERVICE_BASE_URL")).origin;
  const client = readSeedClient(settings);
  if (!client) throw new Error("SERVICE_SEED_CLIENT is missing.");
  const values = seedValuesOf(client.client_id);
  return {
    base_url: baseUrl,
    auth_url: setting("SERVICE_AUTH_URL") ? new URL(setting("SERVICE_AUTH_URL")).origin : baseUrl,
    client_id: client.client_id,
    client_secret: client.client_secret,
    provider: values.provider,
    webhook_secret: values.webhookSecret,
    customer_endpoint_secret: values.customerEndpointSecret,
    business_profile_id: values.businessProfileId,
    business_user_id: values.businessUserId,
    business_user_phone: values.businessUserPhone,
    redirect_uris: client.redirect_uris,
    webhook_url: client.webhook_url,
    customers_url: client.customers_url,
    data,
  };
}

/** Throws a one-sentence error if `folder` holds other files, so that no database is created among them. */
export function requireDataFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const isFolder = statSync(folder).isDirectory();
  if (isFolder && (existsSync(`${folder}/used-by`) || readdirSync(folder).length === 0)) return;
  const problem = isFolder ? "holds other files" : "is a file";
  throw new Error(`${folder} ${problem}: --data must name a new or empty folder, or one from an earlier start.`);
}
