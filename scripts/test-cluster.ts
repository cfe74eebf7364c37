import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { type Cluster, deleteOrphanedClusters, startCluster } from "./embedded-postgres.ts";
import { runStatements } from "./run-statements.ts";

const folder = resolve(import.meta.dirname, "../.data/tests");

// Speed matters here and durability does not: the cluster is thrown away.
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "400",
  // Archives nothing, and fails while a test keeps this file in the data folder.
  archive_mode: "on",
  archive_command: "test ! -e archive-is-full",
};

/** This process's own cluster; `stop` deletes it. Clusters of killed test runs are deleted first. */
export async function startTestCluster(name: string): Promise<Cluster> {
  deleteOrphanedTestClusters();
  const directory = testClusterFolder(name);
  const cluster = await startCluster(directory, settings);
  const stop = () => {
    cluster.stop();
    for (const folder of [directory, cluster.folder]) rmSync(folder, { recursive: true, force: true });
  };
  return { ...cluster, stop };
}

export function deleteOrphanedTestClusters(): void {
  deleteOrphanedClusters(folder);
}

/** Where a cluster of this process belongs: a later run finds it there and deletes it if this one couldn't. */
export function testClusterFolder(name: string): string {
  return join(folder, `${name}-${process.pid}`);
}

/** A cluster whose database `template_of_tests` has the tables of one of the two apps. */
export type TemplateCluster = {
  /** Its database "postgres", and the environment variable that shares it with a test run. */
  url: string;
  setting: string;
  /** Drops the databases of test processes for whose id `isDone` is true. */
  dropDatabases: (isDone: (pid: number) => boolean) => Promise<void>;
  stop: () => void;
};

/** Starts a throwaway cluster for one app's test files, with a migrated template database to copy from. */
export async function startTemplateCluster(app: "service" | "partner", name: string): Promise<TemplateCluster> {
  const cluster = await startTestCluster(`${name}-${app}`);
  const url = cluster.url("postgres");
  await runStatements(url, "create database template_of_tests");
  await migrateDatabase(cluster.url("template_of_tests"), `lib/${app}/storage/migrations`);
  return {
    url,
    setting: sharedClusterSetting(app),
    dropDatabases: async (isDone) => {
      const rows = await runStatements(url, "select datname from pg_database where datname like 'test\\_%'");
      const names = rows.map(({ datname }) => String(datname)).filter((name) => isDone(Number(name.split("_")[1])));
      for (const name of names) await runStatements(url, `drop database if exists ${name} with (force)`);
    },
    stop: cluster.stop,
  };
}

/** The environment variable that names a cluster for a test run to share, instead of starting its own. */
export function sharedClusterSetting(app: "service" | "partner"): string {
  return `TEST_CLUSTER_OF_${app.toUpperCase()}`;
}
