import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { watchClock } from "../lib/kit/clock-watch.ts";
import { requireCatalog } from "../lib/kit/database-catalog.ts";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { countMigrations, isDatabaseReady } from "../lib/kit/migrations.ts";
import { requireTimeLimits, writableAddress } from "../lib/kit/postgres.ts";
import { serviceConfig } from "../lib/service/config.ts";
import { createServiceApi } from "../lib/service/http/app.ts";
import { isAddressWithinRate } from "../lib/service/http/frame/answer-request.ts";
import { readMetrics } from "../lib/service/operations/read-metrics.ts";
import { refuseSandboxData } from "../lib/service/operations/refuse-sandbox-data.ts";
import { noteEncryptionKey } from "../lib/service/operations/rotate-keys.ts";
import { findVisitRedirectOrigin } from "../lib/service/operations/visits/read-visit.ts";
import { chooseProviders, productionProviders } from "../lib/service/providers.ts";
import { migrationsFolder, servicePool } from "../lib/service/storage/database.ts";
import { startServiceWorkers } from "../lib/service/workers/start-workers.ts";
import { openOperatorListener } from "./operator-listener.ts";
import { processSettings } from "./process-settings.ts";
import type { Role } from "./roles.ts";
import type { Listener, StartedApp } from "./started-app.ts";

const operatorGraceMs = 2000;

/** Starts this process's roles of the service; undefined if it has none, and then the service's settings are not read. */
export async function startServiceApp(roles: ReadonlySet<Role>): Promise<StartedApp | undefined> {
  const hasApi = roles.has("service-api");
  const hasPages = roles.has("service-web");
  const hasWorkers = roles.has("service-worker");
  if (!hasApi && !hasPages && !hasWorkers) return undefined;

  const { baseUrl, authUrl, databaseDirectUrl, isDatabasePooled, mode } = serviceConfig();
  await migrateDatabase(await writableAddress(databaseDirectUrl), migrationsFolder);
  if (isDatabasePooled) await requireTimeLimits(servicePool());
  await requireCatalog(servicePool(), migrationsFolder);
  const migrations = countMigrations(migrationsFolder);
  const clock = await watchClock(servicePool(), "service");
  // Decision D16: production does not even load the sandbox.
  const sandbox = mode === "sandbox" ? (await import("../lib/service/sandbox/plug.ts")).sandboxPlug : undefined;
  await sandbox?.seed();
  if (!sandbox) await refuseSandboxData();
  await noteEncryptionKey();
  chooseProviders(sandbox?.providers ?? productionProviders);
  const workers = hasWorkers ? startServiceWorkers() : undefined;
  const api = hasApi ? getRequestListener(createServiceApi(sandbox?.api).fetch) : undefined;
  const operator = hasApi ? await openOperatorListener(processSettings().operatorListen) : undefined;
  return {
    listeners: serviceListeners({ baseUrl, authUrl, hasPages, api }, processSettings()),
    isWithinRate: isAddressWithinRate,
    findFormTargets: async (path) => {
      const visitId = /^\/login\/oauth\/authorize\/([^/]+)$/.exec(path)?.[1];
      const redirectOrigin = visitId ? await findVisitRedirectOrigin(visitId) : undefined;
      return redirectOrigin ? [redirectOrigin] : [];
    },
    ...(sandbox && { endStreams: sandbox.endStreams }),
    isReady: async () => clock.isRight() && (await isDatabaseReady(servicePool(), migrations)),
    readMetrics,
    stop: async () => {
      clock.stop();
      await operator?.stop({ graceMs: operatorGraceMs });
      await workers?.stop();
      await sandbox?.flush();
      await servicePool().end();
    },
  };
}

type Listens = Partial<Pick<ReturnType<typeof processSettings>, "serviceListen" | "serviceAuthListen">>;

/** One listener for API and pages if both run here under one address, otherwise one for each (Decision D1). */
export function serviceListeners(
  {
    baseUrl,
    authUrl,
    hasPages,
    api,
  }: { baseUrl: string; authUrl: string; hasPages: boolean; api?: RequestListener | undefined },
  { serviceListen, serviceAuthListen }: Listens,
): Listener[] {
  const isOneOrigin = baseUrl === authUrl;
  const listeners: Listener[] = [];
  if (api) {
    listeners.push({ origin: baseUrl, listen: serviceListen, hasPages: hasPages && isOneOrigin, api });
  }
  if (hasPages && !(api && isOneOrigin)) {
    const apart = isOneOrigin ? {} : { apiUrl: baseUrl };
    listeners.push({ origin: authUrl, listen: serviceAuthListen, hasPages, ...apart });
  }
  return listeners;
}
