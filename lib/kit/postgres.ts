import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { log } from "./log.ts";

// Any number will do, as long as every process that migrates uses the same one.
const migrationLock = 4_712_018;

/** A pool of connections to one database. A connection that breaks while idle is logged and replaced, not thrown. */
export function openPool(url: string, { connectionsMax = 20 } = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax, connectionTimeoutMillis: 10_000 });
  pool.on("error", (error) => log().warn({ error: error.message }, "an idle database connection broke"));
  return pool;
}

/** Brings a database to the newest schema. Safe to call from several processes at once: they take turns by an advisory lock. */
export async function migrateDatabase(url: string, migrationsFolder: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await migrate(drizzle(client), { migrationsFolder });
  } finally {
    await client.end();
  }
}

/** How many migrations this process knows, for `isDatabaseReady`. Reads the folder, so it is for the start. */
export function countMigrations(migrationsFolder: string): number {
  return readMigrationFiles({ migrationsFolder }).length;
}

/**
 * Whether the database answers within `timeoutMs` and has at least so many migrations. One that is newer than this process
 * counts as ready: that is what an update without a pause looks like from the old processes.
 */
export async function isDatabaseReady(pool: pg.Pool, migrations: number, { timeoutMs = 1000 } = {}): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const asked = pool
    .query<{ count: number }>("select count(*)::int as count from drizzle.__drizzle_migrations")
    .then(({ rows }) => (rows[0]?.count ?? 0) >= migrations)
    .catch(() => false);
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Connection exceptions, shutdown and exhaustion (PostgreSQL appendix A), and what Node and pg say without a server.
const unavailableCodes = /^(?:08...|57P0[1-5]|53[03]00|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT)$/;
const unavailableMessages = /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout)/;

/** Whether the database could not be reached or went away, so that the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && unavailableCodes.test(error.code)) return true;
  if (unavailableMessages.test(error.message)) return true;
  return isDatabaseUnavailable(error.cause);
}
