import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import { type CrashableCluster, startCrashableCluster } from "../processes/cluster.ts";
import type { Reaper } from "../processes/start-reaper.ts";

/** A server of Citus. */
export type CitusNode = CrashableCluster & { name: string; address: string };

/** A coordinator and workers with the extension in one database. */
export type CitusCluster = {
  coordinator: CitusNode;
  workers: CitusNode[];
  /** The address of a database on the coordinator. */
  url: (database: string) => string;
};

const installed = ["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin"];

/** The folder with the programs of a PostgreSQL that has Citus. Throws a sentence that says what to install. */
export function findCitus(named: string | undefined): string {
  const folders = named === undefined ? globSync(installed).sort().reverse() : [named];
  const found = folders.find(hasCitus);
  if (found !== undefined) return found;
  throw new Error(
    `This drill needs a PostgreSQL with Citus 13 or later, and found none in ${named ?? installed.join(" or ")}. ` +
      "Install Citus's packages (https://docs.citusdata.com, Installation) or build it as its README says " +
      "(https://github.com/citusdata/citus), and name the folder of postgres with --programs.",
  );
}

function hasCitus(folder: string): boolean {
  try {
    const share = execFileSync(join(folder, "pg_config"), ["--sharedir"], { encoding: "utf8" }).trim();
    return existsSync(join(share, "extension", "citus.control"));
  } catch {
    return false;
  }
}

const settings = {
  shared_preload_libraries: "citus",
  max_connections: "500",
  max_prepared_transactions: "500",
  // For moves that go on beside writes.
  wal_level: "logical",
  max_wal_senders: "20",
  max_replication_slots: "20",
  // All is on loopback, without TLS.
  "citus.node_conninfo": "sslmode=disable",
  "citus.local_hostname": "127.0.0.1",
  "citus.enable_statistics_collection": "off",
  // Else a table with triggers isn't distributed.
  "citus.enable_unsafe_triggers": "on",
};

type Options = {
  folder: string;
  programs: string;
  database: string;
  workerCount: number;
  reaper: Reaper;
};

/** Starts the servers in an existing folder, and the reaper cleans up. */
export async function startCitusCluster({
  folder,
  programs,
  database,
  workerCount,
  reaper,
}: Options): Promise<CitusCluster> {
  const password = randomBytes(12).toString("hex");
  const startNode = async (name: string): Promise<CitusNode> => {
    const home = join(folder, name);
    mkdirSync(home);
    writeFileSync(join(home, "password"), password, { mode: 0o600 });
    const port = await freePort();
    const node = await startCrashableCluster(reaper, { programs, port, settings }, home);
    await ask(node.url(), `create database ${database}`);
    await ask(urlIn(node, database), "create extension citus");
    await ask(
      urlIn(node, database),
      `insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, current_user, 'password=${password}')`,
    );
    return { ...node, name, address: `127.0.0.1:${port}` };
  };
  const coordinator = await startNode("coordinator");
  const workers: CitusNode[] = [];
  while (workers.length < workerCount) workers.push(await startNode(`worker-${workers.length + 1}`));
  const url = (name: string) => urlIn(coordinator, name);
  const portOf = ({ address }: CitusNode) => Number(address.split(":")[1]);
  await ask(url(database), `select citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`);
  for (const worker of workers) await ask(url(database), `select citus_add_node('127.0.0.1', ${portOf(worker)})`);
  return { coordinator, workers, url };
}

/** Gives the engine these schemas with their tables, each to the node with the fewest. */
export async function distributeSchemas(url: string, schemas: string[]): Promise<void> {
  for (const schema of schemas) await ask(url, `select citus_schema_distribute('${schema}')`);
}

export async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function urlIn(node: CrashableCluster, database: string): string {
  const url = new URL(node.url());
  url.pathname = `/${database}`;
  return url.href;
}
