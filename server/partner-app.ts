import type { Pool } from "pg";
import { watchClock } from "../lib/kit/clock-watch.ts";
import { requireCatalog } from "../lib/kit/database-catalog.ts";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { countMigrations, isDatabaseReady } from "../lib/kit/migrations.ts";
import { outboxMetrics } from "../lib/kit/outbox.ts";
import { requireTimeLimits, writableAddress } from "../lib/kit/postgres.ts";
import { processMetrics } from "../lib/kit/process-metrics.ts";
import { partnerConfig } from "../lib/partner/config.ts";
import { createInspector } from "../lib/partner/inspector/create-inspector.ts";
import { requireOwnKeys } from "../lib/partner/jobs/rotate-keys.ts";
import { startPartnerWorker } from "../lib/partner/jobs/start-worker.ts";
import { liveStreams } from "../lib/partner/live/live-streams.ts";
import { openPartner, setPartner } from "../lib/partner/process-partner.ts";
import { withinRequest } from "../lib/partner/requests/current-action.ts";
import { refuseSandboxData, seedPartnerSandbox } from "../lib/partner/sandbox/seed.ts";
import { loadProviders } from "./load-providers.ts";
import { processSettings } from "./process-settings.ts";
import type { Role } from "./roles.ts";
import type { StartedApp } from "./started-app.ts";

const migrationsFolder = "lib/partner/storage/migrations";

/** Starts this process's Harbor roles; with none, returns undefined without reading Harbor's settings. */
export async function startPartnerApp(roles: ReadonlySet<Role>): Promise<StartedApp | undefined> {
  const hasPages = roles.has("partner");
  const hasWorker = roles.has("partner-worker");
  if (!hasPages && !hasWorker) return undefined;

  const config = partnerConfig();
  const { baseUrl, serviceAuthUrl, databaseDirectUrl, isDatabasePooled, isSandbox } = config;
  const providers = await loadProviders(processSettings().providers, {
    mode: "PARTNER_SANDBOX=off",
    isSandbox,
    needs: hasWorker ? ["sendText", "sendEmail"] : [],
  });
  const partner = setPartner(openPartner(config, { observeWith: createInspector, providers }));
  await migrateDatabase(await writableAddress(databaseDirectUrl), migrationsFolder);
  if (isDatabasePooled) await requireTimeLimits(partner.pool);
  await requireCatalog(partner.pool, migrationsFolder);
  const migrations = countMigrations(migrationsFolder);
  const clock = await watchClock(partner.pool, "partner");
  await (isSandbox ? seedPartnerSandbox(partner) : refuseSandboxData(partner));
  await requireOwnKeys(partner);
  const worker = hasWorker ? await startPartnerWorker(partner) : undefined;

  return {
    listeners: hasPages ? [{ origin: baseUrl, listen: processSettings().partnerListen, hasPages }] : [],
    isWithinRate: async () => true,
    // The form that starts an authorization redirects to the service's pages.
    findFormTargets: async (path) => {
      // So that without the database the gateway answers 503 instead of each page failing.
      if (!/^\/(?:_next|partner)\//.test(path)) await partner.pool.query("select");
      return [serviceAuthUrl];
    },
    wrapPage: withinRequest,
    // Only the service's calls: browsers send no trace.
    continuesTraceAt: (path) => /^\/(?:webhooks|v1)(?:\/|$)/.test(path),
    isReady: async () => clock.isRight() && (await isDatabaseReady(partner.pool, migrations)),
    ...(hasPages && { endStreams: () => liveStreams(partner).stop() }),
    readMetrics: async () => {
      // Omitted while the database is unavailable.
      const messages = await outboxMetrics("partner", { pool: partner.pool, table: "messages" }).catch(() => "");
      return { text: poolMetrics(partner.pool) + messages + (await processMetrics()) };
    },
    stop: async () => {
      clock.stop();
      await worker?.stop();
      await partner.pool.end();
    },
  };
}

function poolMetrics({ totalCount, idleCount, waitingCount }: Pool): string {
  const gauges: [name: string, help: string, value: number][] = [
    ["harbor_pool_connections", "Database connections of this process.", totalCount],
    ["harbor_pool_idle_connections", "Idle database connections of this process.", idleCount],
    ["harbor_pool_waiting", "Callers waiting for a database connection.", waitingCount],
  ];
  return gauges
    .map(([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`)
    .join("");
}
