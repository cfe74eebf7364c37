import { getRequestListener } from "@hono/node-server";
import { countMigrations, isDatabaseReady, migrateDatabase } from "../lib/kit/postgres.ts";
import { serviceConfig } from "../lib/service/config.ts";
import { createServiceApi } from "../lib/service/http/app.ts";
import { findVisitRedirectOrigin } from "../lib/service/operations/find-visit-redirect-origin.ts";
import { refuseSandboxData } from "../lib/service/operations/refuse-sandbox-data.ts";
import { servicePool } from "../lib/service/storage/database.ts";
import { startServiceWorkers } from "../lib/service/workers/start-workers.ts";
import type { Role } from "./roles.ts";
import type { StartedHouse } from "./started-house.ts";

const migrationsFolder = "lib/service/storage/migrations";

/** Starts what this process runs of the service, and nothing when it runs none of it: then its settings are not read. */
export async function startServiceHouse(roles: ReadonlySet<Role>): Promise<StartedHouse> {
  const hasApi = roles.has("service-api");
  const hasPages = roles.has("service-web");
  const hasWorkers = roles.has("service-worker");
  if (!hasApi && !hasPages && !hasWorkers) {
    return { doors: [], findFormTargets: async () => [], isReady: async () => true, stop: async () => {} };
  }

  const { baseUrl, authUrl, databaseUrl, mode } = serviceConfig();
  await migrateDatabase(databaseUrl, migrationsFolder);
  const migrations = countMigrations(migrationsFolder);
  // Decision D16: what belongs to the sandbox is not even loaded in production.
  const sandbox = mode === "sandbox" ? await startSandbox() : undefined;
  if (mode === "production") await refuseSandboxData();
  const workers = hasWorkers ? await startServiceWorkers() : undefined;
  const api = hasApi ? getRequestListener((await createServiceApi()).fetch) : undefined;
  const isOneOrigin = baseUrl === authUrl;

  const doors: StartedHouse["doors"] = [];
  if (api) doors.push({ origin: baseUrl, hasPages: hasPages && isOneOrigin, api });
  if (hasPages && !(api && isOneOrigin)) doors.push({ origin: authUrl, hasPages });

  return {
    doors,
    findFormTargets: async (path) => {
      const visitId = /^\/login\/oauth\/authorize\/([^/]+)$/.exec(path)?.[1];
      const redirectOrigin = visitId ? await findVisitRedirectOrigin(visitId) : undefined;
      return redirectOrigin ? [redirectOrigin] : [];
    },
    ...(sandbox && { endStreams: sandbox.endStreams }),
    isReady: () => isDatabaseReady(servicePool(), migrations),
    stop: async () => {
      await workers?.stop();
      await sandbox?.flush();
      await servicePool().end();
    },
  };
}

async function startSandbox() {
  const [{ seedSandbox }, { stopRequestStreams }, { flushRequestLog }] = await Promise.all([
    import("../lib/service/sandbox/seed.ts"),
    import("../lib/service/sandbox/request-stream.ts"),
    import("../lib/service/sandbox/request-log.ts"),
  ]);
  await seedSandbox();
  return { endStreams: stopRequestStreams, flush: flushRequestLog };
}
