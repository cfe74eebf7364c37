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
