import { fileURLToPath } from "node:url";
import { chooseProviders, productionProviders } from "../../../lib/service/providers.ts";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import type { Reaper } from "../../crash/processes/start-reaper.ts";
import { type BenchCluster, startBenchCluster } from "../processes/cluster.ts";
import { type StartedProcess, startProcess } from "../processes/start-process.ts";
import { serviceSettings, startFlags } from "./settings.ts";

export type BenchService = {
  cluster: BenchCluster;
  settings: Record<string, string>;
  origins: string[];
  apis: StartedProcess[];
  worker: StartedProcess;
};

const server = fileURLToPath(new URL("../../../server.ts", import.meta.url));
const workers = fileURLToPath(new URL("./worker.ts", import.meta.url));

type Starting = { reaper: Reaper; apis: number; settings?: Record<string, string> };

/** The service with its own PostgreSQL. */
export async function startService(
  reaper: Reaper,
  { apis, mode = "production" }: { apis: number; mode?: "production" | "sandbox" },
): Promise<BenchService> {
  const cluster = await startBenchCluster("ours", reaper);
  return { cluster, ...(await startServiceAt(cluster.url, { reaper, apis, settings: { SERVICE_MODE: mode } })) };
}

/** Also applies the settings to this process, so that it can use the service's code. */
export async function startServiceAt(
  databaseUrl: string,
  { reaper, apis: count, settings: overrides = {} }: Starting,
): Promise<Omit<BenchService, "cluster">> {
  const settings = { ...serviceSettings(databaseUrl), ...overrides };
  Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
  chooseProviders(productionProviders());

  const flags = startFlags();
  const startApi = async (number: number) => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const env = { ...settings, ROLES: "service-api", SERVICE_BASE_URL: origin };
    return { origin, api: await startProcess(server, { name: `api-${number}`, env, reaper, flags }) };
  };
  // The first one runs the migrations, so it starts alone.
  const first = await startApi(1);
  const rest = await Promise.all(Array.from({ length: count - 1 }, (_, index) => startApi(index + 2)));
  const worker = await startProcess(workers, { name: "worker", env: settings, reaper, flags });
  const all = [first, ...rest];
  return {
    settings,
    origins: all.map(({ origin }) => origin),
    apis: all.map(({ api }) => api),
    worker,
  };
}
