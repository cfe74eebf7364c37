import { randomBytes } from "node:crypto";
import { servicePool } from "../../lib/service/storage/database.ts";
import { freePort } from "../../scripts/embedded-postgres.ts";
import { runStatements } from "../../scripts/run-statements.ts";
import { processSettings } from "./harbor.ts";
import { type CrashableCluster, startCrashableCluster } from "./processes/cluster.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./processes/database-proxy.ts";
import { type ServerProcess, serverProcess } from "./processes/server-process.ts";
import { type Reaper, startReaper } from "./processes/start-reaper.ts";

export type ProxiedProcess = ServerProcess & { proxy: DatabaseProxy };

/** The service with its roles in separate processes that can be killed, paused, and cut off. */
export type CrashStack = {
  cluster: CrashableCluster;
  apis: ProxiedProcess[];
  worker: ProxiedProcess;
  /** Starts the same number of APIs and another worker from the checkout in `folder`. */
  startBeside: (options: { folder: string; name: string }) => Promise<Pick<CrashStack, "apis" | "worker">>;
  stop: () => Promise<void>;
};

/**
 * Starts a cluster, APIs, and one worker from the checkout in `folder`. Each API has its own base address unless
 * `settings` names one. This process gets the settings, too, to prepare people and read tables through its own proxy.
 */
export async function startCrashStack({
  apis: apiCount,
  folder,
  settings: changed = {},
}: {
  apis: number;
  folder: string;
  settings?: Record<string, string>;
}): Promise<CrashStack> {
  const reaper = startReaper();
  try {
    const cluster = await startCrashableCluster(reaper);
    const database = await createDatabase(cluster.url());
    const findUrl = () => cluster.url();
    const ownProxy = await startDatabaseProxy(findUrl);
    const settings = processSettings({ SERVICE_DATABASE_URL: databaseUrl(cluster.url(), database) });
    Object.assign(
      process.env,
      settings,
      { LOG_LEVEL: "silent" },
      { SERVICE_DATABASE_URL: ownProxy.through(settings.SERVICE_DATABASE_URL) },
    );

    const processes: ProxiedProcess[] = [];
    const proxies = [ownProxy];

    const startOne = async (
      from: string,
      role: "service-api" | "service-worker",
      name: string,
    ): Promise<ProxiedProcess> => {
      const proxy = await startDatabaseProxy(findUrl);
      proxies.push(proxy);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const ownSettings = {
        ...settings,
        SERVICE_DATABASE_URL: proxy.through(settings.SERVICE_DATABASE_URL),
        SERVICE_BASE_URL: url,
        SERVICE_AUTH_URL: "",
        SERVICE_LISTEN: String(port),
        // A worker's address serves its metrics.
        ...(role === "service-worker" && { METRICS_LISTEN: String(port) }),
        ...changed,
      };
      const server = { ...serverProcess({ name, role, url, settings: ownSettings, reaper, folder: from }), proxy };
      processes.push(server);
      await server.start();
      return server;
    };
    const startAll = async (from: string, prefix: string) => {
      // The first one migrates and seeds, so it starts alone.
      const first = await startOne(from, "service-api", `${prefix}api-1`);
      const others = Array.from({ length: apiCount - 1 }, (_, index) =>
        startOne(from, "service-api", `${prefix}api-${index + 2}`),
      );
      const [worker, ...rest] = await Promise.all([startOne(from, "service-worker", `${prefix}worker`), ...others]);
      return { apis: [first, ...rest], worker };
    };
    return {
      cluster,
      ...(await startAll(folder, "")),
      startBeside: ({ folder: from, name }) => startAll(from, `${name}-`),
      stop: () => stopAll(reaper, processes, proxies),
    };
  } catch (error) {
    await reaper.finish();
    throw error;
  }
}

async function stopAll(reaper: Reaper, processes: ServerProcess[], proxies: DatabaseProxy[]): Promise<void> {
  await Promise.all(processes.map((one) => one.kill()));
  await servicePool().end();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await reaper.finish();
}

async function createDatabase(url: string): Promise<string> {
  const name = `crash_${randomBytes(4).toString("hex")}`;
  await runStatements(url, `create database ${name}`);
  return name;
}

function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
