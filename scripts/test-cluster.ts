import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Cluster, startCluster } from "./embedded-postgres.ts";
import { isAlive } from "./processes.ts";

const folder = resolve(import.meta.dirname, "../.data/tests");

// Speed matters here and durability does not: the cluster is thrown away.
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "400" };

/** A cluster of this process's own; `stop` deletes it. Those of test runs that were killed hard are cleared away first. */
export async function startTestCluster(name: string): Promise<Cluster> {
  await clearOrphans();
  const directory = testClusterFolder(name);
  const cluster = await startCluster(directory, settings);
  const stop = () => {
    cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...cluster, stop };
}

/** Where a cluster of this process belongs: a later run finds it there and clears it away if this one could not. */
export function testClusterFolder(name: string): string {
  return join(folder, `${name}-${process.pid}`);
}

async function clearOrphans(): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = Number(name.split("-").at(-1));
    if (isAlive(pid)) continue;
    (await startCluster(join(folder, name))).stop();
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
