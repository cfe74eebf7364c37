import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { watchClock } from "../lib/kit/clock-watch.ts";
import { requireCatalog } from "../lib/kit/database-catalog.ts";
import { isConnectionLost, isDatabaseUnavailable } from "../lib/kit/database-errors.ts";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import { countMigrations, isDatabaseReady } from "../lib/kit/migrations.ts";
import { requireTimeLimits } from "../lib/kit/postgres.ts";
import { startWakeLoop, type WakeLoop } from "../lib/kit/wake-loop.ts";
import { type Cell, cells, currentCell, firstCell, inCell, inEachCell, schemaOf } from "../lib/service/cells.ts";
import { serviceConfig } from "../lib/service/config.ts";
import { createServiceApi } from "../lib/service/http/app.ts";
import { isAddressWithinRate } from "../lib/service/http/frame/answer-request.ts";
import { requireSettlementProvider } from "../lib/service/operations/money/settle-by-provider.ts";
import { readMetrics } from "../lib/service/operations/read-metrics.ts";
import { refuseSandboxData } from "../lib/service/operations/refuse-sandbox-data.ts";
import { recordEncryptionKey, requireOwnKeys } from "../lib/service/operations/rotate-keys.ts";
import { findVisitRedirectOrigin } from "../lib/service/operations/visits/read-visit.ts";
import { chooseProviders, productionProviders } from "../lib/service/providers.ts";
import {
  followClientCells,
  insertMissingClientCells,
  requireServedCells,
} from "../lib/service/storage/client-cells.ts";
import { closedCells, database, migrationsFolder, openCell, servicePool } from "../lib/service/storage/database.ts";
import { migrateCells } from "../lib/service/storage/migrate-cells.ts";
import { hasPhotosAtProvider } from "../lib/service/storage/photo-deletions.ts";
import { startServiceWorkers } from "../lib/service/workers/start-workers.ts";
import { addressOf, findListenAddress, type ListenSetting, ownAddressOf } from "./listen-address.ts";
import { loadProviders, type ProviderNeeds } from "./load-providers.ts";
import { openOperatorListener } from "./operator-listener.ts";
import { processSettings } from "./process-settings.ts";
import type { Role } from "./roles.ts";
import type { Listener, StartedApp } from "./started-app.ts";

const operatorGraceMs = 2000;

/** Production doesn't even load the sandbox (Decision D16). */
export async function loadSandbox() {
  if (process.env["SERVICE_MODE"] !== "sandbox") return undefined;
  return (await import("../lib/service/sandbox/plug.ts")).sandboxPlug;
}

/** Starts this process's roles of the service; with none, returns undefined without reading the service's settings. */
export async function startServiceApp(roles: ReadonlySet<Role>): Promise<StartedApp | undefined> {
  const hasApi = roles.has("service-api");
  const hasPages = roles.has("service-web");
  const hasWorkers = roles.has("service-worker");
  if (!hasApi && !hasPages && !hasWorkers) return undefined;

  const { baseUrl, authUrl, otherHosts, databaseDirectUrl, isDatabasePooled, mode } = serviceConfig();
  await migrateCells(databaseDirectUrl, cells(), closeCell);
  const commonPool = inCell(firstCell, servicePool);
  if (isDatabasePooled) await requireTimeLimits(commonPool);
  await requireServedCells();
  await inEachOpenCell(() => prepareCell(mode));
  const directory = await followClientCells();
  const migrations = countMigrations(migrationsFolder);
  const clock = await watchClock(commonPool, "service");
  const sandbox = await loadSandbox();
  await sandbox?.seed();
  const loadNeeded = (needs: ProviderNeeds["needs"]) =>
    loadProviders(processSettings().providers, {
      mode: "SERVICE_MODE=production",
      isSandbox: mode === "sandbox",
      needs,
    });
  const workerNeeds = hasWorkers ? (["screening", "sendText"] as const) : [];
  const photoNeeds = await inEachOpenCell(findPhotoNeeds);
  const connected = await loadNeeded([...workerNeeds, ...new Set(photoNeeds.flat())]);
  chooseProviders(sandbox?.providers ?? productionProviders(connected));
  if (hasWorkers) await inEachOpenCell(requireSettlementProvider);
  const openers = startOpeners(async (cell) => {
    await migrateCells(databaseDirectUrl, [cell]);
    await inCell(cell, () =>
      openCell(async () => {
        await prepareCell(mode);
        await loadNeeded(await findPhotoNeeds());
        if (hasWorkers) await requireSettlementProvider();
      }),
    );
  });
  const workers = hasWorkers ? startServiceWorkers() : undefined;
  const api = hasApi ? getRequestListener(createServiceApi(sandbox?.api).fetch) : undefined;
  const ownUrl = hasApi ? await findOwnUrl(baseUrl, otherHosts) : undefined;
  if (ownUrl) sandbox?.callOwnApiAt(ownUrl);
  const operator = hasApi ? await openOperatorListener(processSettings().operatorListen) : undefined;
  return {
    listeners: serviceListeners({ baseUrl, authUrl, hasPages, api }, processSettings().serviceListen),
    otherHosts,
    isWithinRate: isAddressWithinRate,
    findFormTargets: async (path) => {
      const visitId = /^\/login\/oauth\/authorize\/([^/]+)$/.exec(path)?.[1];
      const redirectOrigin = visitId ? await findVisitRedirectOrigin(visitId) : undefined;
      return redirectOrigin ? [redirectOrigin] : [];
    },
    ...(sandbox && { endStreams: sandbox.endStreams }),
    isReady: async () => clock.isRight() && (await isAnyCellReady(migrations)),
    readMetrics,
    stop: async () => {
      clock.stop();
      // Not awaited: a migration may take long, and one that is interrupted is resumed.
      for (const opener of openers) void opener.stop();
      await operator?.stop({ graceMs: operatorGraceMs });
      await workers?.stop();
      await sandbox?.flush();
      await directory.stop();
      await inEachCell(() => servicePool().end());
    },
  };
}

/** Throws unless the current cell matches what this version needs. */
async function prepareCell(mode: "sandbox" | "production"): Promise<void> {
  await requireCatalog(servicePool(), migrationsFolder, schemaOf(currentCell()));
  // Decision D1
  if (mode === "production") await refuseSandboxData();
  await requireOwnKeys();
  await recordEncryptionKey();
  await insertMissingClientCells();
}

async function findPhotoNeeds(): Promise<ProviderNeeds["needs"]> {
  return (await hasPhotosAtProvider(database())) ? ["photoIds"] : [];
}

/** Runs `work` in all cells that could be reached so far; one that no longer can be is closed. */
async function inEachOpenCell<T>(work: () => Promise<T>): Promise<T[]> {
  const results = await inEachCell(async () => {
    const cell = currentCell();
    if (closedCells().has(cell)) return [];
    try {
      return [await work()];
    } catch (error) {
      closeCell(cell, error);
      return [];
    }
  });
  return results.flat();
}

/** Throws, unless the cell is unreachable and isn't the first: then it's closed until `startOpeners` has checked it. */
function closeCell(cell: Cell, error: unknown): void {
  if (cell === firstCell || !isDatabaseUnavailable(error)) throw error;
  closedCells().add(cell);
  log().error(
    { cell, error: describeError(error) },
    "a cell cannot be reached; it is closed until it has been checked",
  );
}

const reopenMs = 5000;

/** Tries to open each closed cell every few seconds. A cell that fails its checks is logged each time, and stays closed. */
function startOpeners(open: (cell: Cell) => Promise<void>): WakeLoop[] {
  const tryToOpen = async (cell: Cell) => {
    if (!closedCells().has(cell)) return;
    try {
      await open(cell);
      log().info({ cell }, "a cell was checked and opened");
    } catch (error) {
      if (!isConnectionLost(error)) log().error({ cell, error: describeError(error) }, "a cell cannot be opened");
    }
  };
  return [...closedCells()].map((cell) =>
    startWakeLoop({
      name: `opener of cell ${cell}`,
      pollMs: reopenMs,
      work: async () => {
        await tryToOpen(cell);
        return undefined;
      },
    }),
  );
}

/** One lost cell doesn't make a proxy drop a process that serves the others. */
async function isAnyCellReady(migrations: number): Promise<boolean> {
  const areReady = await inEachCell(() =>
    isDatabaseReady(servicePool(), migrations, { schema: schemaOf(currentCell()) }),
  );
  return areReady.includes(true);
}

/** This process's own API address, if its gateway answers under that name; the base address may lead here only for browsers. */
async function findOwnUrl(baseUrl: string, otherHosts: readonly string[]): Promise<string | undefined> {
  const address = await findListenAddress(baseUrl, processSettings().serviceListen?.[0]);
  const url = addressOf(ownAddressOf(address));
  return otherHosts.includes(new URL(url).hostname) ? url : undefined;
}

type ServedParts = { baseUrl: string; authUrl: string; hasPages: boolean; api?: RequestListener | undefined };

/**
 * One listener for API and pages if both run here under one address, otherwise one for each (Decision D1). `listens` is
 * where the API binds, then the pages.
 */
export function serviceListeners(
  { baseUrl, authUrl, hasPages, api }: ServedParts,
  listens: ListenSetting[] = [],
): Listener[] {
  const isOneOrigin = baseUrl === authUrl;
  const listeners: Listener[] = [];
  if (api) {
    listeners.push({ origin: baseUrl, listen: listens[0], hasPages: hasPages && isOneOrigin, api });
  }
  if (hasPages && !(api && isOneOrigin)) {
    const apart = isOneOrigin ? {} : { apiUrl: baseUrl };
    listeners.push({ origin: authUrl, listen: api ? listens[1] : listens.at(-1), hasPages, ...apart });
  }
  return listeners;
}
