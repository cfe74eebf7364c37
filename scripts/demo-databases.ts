import { join } from "node:path";
import pg from "pg";
import { type Cluster, startCluster } from "./embedded-postgres.ts";

/**
 * Starts the embedded PostgreSQL for those houses that no setting gives a database, and fills the settings in.
 * Returns undefined when both have one of their own.
 */
export async function startDemoDatabases(): Promise<Cluster | undefined> {
  if (process.env["SERVICE_DATABASE_URL"] && process.env["PARTNER_DATABASE_URL"]) return undefined;
  const cluster = await startCluster(join(process.env["DATA_FOLDER"] || ".data", "demo"));
  process.env["SERVICE_DATABASE_URL"] ||= await databaseIn(cluster, "gangway_service");
  process.env["PARTNER_DATABASE_URL"] ||= await databaseIn(cluster, "gangway_partner");
  return cluster;
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
