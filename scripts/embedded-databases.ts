import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Cluster, makeDataFolder, startCluster } from "./embedded-postgres.ts";
import { isAlive } from "./processes.ts";

const databases = {
  service: { setting: "SERVICE_DATABASE_URL", direct: "SERVICE_DATABASE_DIRECT_URL", name: "gangway_service" },
  partner: { setting: "PARTNER_DATABASE_URL", direct: "PARTNER_DATABASE_DIRECT_URL", name: "gangway_partner" },
};

/** The data folder of a command's embedded database. */
export function dataFolderOf(command: "demo" | "harbor" | "service"): string {
  return join(process.env["DATA_FOLDER"] || ".data", command);
}

/**
 * Starts the embedded PostgreSQL in `folder` for the apps whose settings name no database, and sets their settings.
 * Returns undefined if every app has its own. `areDropped`: deletes what an earlier start left there.
 */
export async function startEmbeddedDatabases(
  folder: string,
  apps: (keyof typeof databases)[],
  { areDropped = false }: { areDropped?: boolean } = {},
): Promise<Cluster | undefined> {
  const missing = apps.filter((app) => !process.env[databases[app].setting]);
  if (missing.length === 0) return undefined;
  claim(folder);
  const cluster = await startCluster(folder);
  for (const app of missing) {
    const { setting, direct } = databases[app];
    if (areDropped) await dropDatabase(cluster, app);
    process.env[setting] = await ensureDatabase(cluster, app);
    process.env[direct] = "";
  }
  return cluster;
}

/**
 * Opens the databases for an operator's command, whose settings are the environment and `.env`, never the demo's. An app
 * without a database gets the embedded one in `folder` if there is one, the service only in a sandbox. Throws a one-sentence
 * error otherwise.
 */
export async function openOperatorDatabases(
  apps: (keyof typeof databases)[],
  folder = dataFolderOf("demo"),
): Promise<Cluster | undefined> {
  for (const app of apps) {
    const { setting } = databases[app];
    const mayBeEmbedded = existsSync(folder) && (app === "partner" || process.env["SERVICE_MODE"] === "sandbox");
    if (!process.env[setting] && !mayBeEmbedded) throw new Error(`${setting} must name the database.`);
  }
  return startEmbeddedDatabases(folder, apps);
}

/**
 * Opens the embedded database of the Harbor that runs alone, for a command beside it: a restart of the database would make a
 * comparison due again. Throws a one-sentence error if there is none or it isn't running.
 */
export async function joinHarborDatabase(): Promise<void> {
  const { setting, direct } = databases.partner;
  const folder = dataFolderOf("harbor");
  if (!existsSync(folder)) throw new Error(`${setting} must name the database.`);
  if (!isAlive(ownerPid(folder))) throw new Error("`npm run harbor` isn't running. Start it, then repeat this.");
  process.env[setting] = await ensureDatabase(await startCluster(folder), "partner");
  process.env[direct] = "";
}

/**
 * Records that this process uses the data in `folder`; throws a one-sentence error while another one does. Two programs would
 * both run workers on it, and the first to end would stop the database.
 */
export function claim(folder: string): void {
  const pidFile = pidFileOf(folder);
  const owner = ownerPid(folder);
  if (owner !== process.pid && isAlive(owner)) {
    throw new Error(
      `The data in ${folder} is in use by process ${owner}, another demo, dev, harbor or service: stop that one first. ` +
        `If that process is another program, delete ${pidFile}.`,
    );
  }
  makeDataFolder(folder);
  writeFileSync(pidFile, String(process.pid), { mode: 0o600 });
}

function pidFileOf(folder: string): string {
  return join(folder, "used-by");
}

function ownerPid(folder: string): number {
  const pidFile = pidFileOf(folder);
  return existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
}

/** The address of an app's database in this cluster, which is created if it's missing. */
export async function ensureDatabase(cluster: Cluster, app: keyof typeof databases): Promise<string> {
  const { name } = databases[app];
  await inCluster(cluster, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  });
  return cluster.url(name);
}

function dropDatabase(cluster: Cluster, app: keyof typeof databases): Promise<void> {
  return inCluster(cluster, async (client) => {
    await client.query(`drop database if exists ${databases[app].name} with (force)`);
  });
}

async function inCluster(cluster: Cluster, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url("postgres") });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
