import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Cluster, startCluster } from "./embedded-postgres.ts";
import { isAlive } from "./processes.ts";

/**
 * Starts the embedded PostgreSQL for each app whose settings name no database, and sets them.
 * Returns undefined when both have one of their own.
 */
export async function startDemoDatabases(): Promise<Cluster | undefined> {
  if (process.env["SERVICE_DATABASE_URL"] && process.env["PARTNER_DATABASE_URL"]) return undefined;
  const folder = join(process.env["DATA_FOLDER"] || ".data", "demo");
  claim(folder);
  const cluster = await startCluster(folder);
  process.env["SERVICE_DATABASE_URL"] ||= await databaseIn(cluster, "gangway_service");
  process.env["PARTNER_DATABASE_URL"] ||= await databaseIn(cluster, "gangway_partner");
  return cluster;
}

// Two programs on one data folder would both run workers on it, and the first to end would stop the database.
function claim(folder: string): void {
  const note = join(folder, "used-by");
  const user = existsSync(note) ? Number(readFileSync(note, "utf8")) : 0;
  if (user !== process.pid && isAlive(user)) {
    throw new Error(`The data in ${folder} is in use by process ${user}, another demo or dev: end that one first.`);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(note, String(process.pid));
}

async function databaseIn(cluster: Cluster, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: cluster.url("postgres") });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return cluster.url(name);
}
