import pg from "pg";
import { log } from "./log.ts";
import { tracing } from "./spans.ts";
import { openTracedPool } from "./traced-pool.ts";

// Whoever waits longer than this waits for something that hangs: a frozen process, a lost machine. The database's address
// can set other values, as in `postgres://…/gangway?statement_timeout=60000` (docs/operations.md).
const timeouts = {
  connectionTimeoutMillis: 5000,
  lock_timeout: 5000,
  statement_timeout: 15_000,
  // What a process that is frozen or cut off holds is free again after this.
  idle_in_transaction_session_timeout: 10_000,
  // Later than the database's own, which says why.
  query_timeout: 20_000,
};

/**
 * A pool of connections to one database, with time limits on everything. A connection that breaks, idle or in use, is
 * logged and replaced; whoever is using it gets the error, and the process goes on.
 */
export function openPool(url: string, { connectionsMax = 20 } = {}): pg.Pool {
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  const options = { ...timeouts, ...keepAlive, connectionString: url, max: connectionsMax };
  const pool = tracing() ? openTracedPool(options) : new pg.Pool(options);
  const note = (error: Error) => log().warn({ error: error.message }, "a database connection broke");
  // On each connection, for as long as it exists: the pool itself listens only while a connection is idle.
  pool.on("connect", (connection) => connection.on("error", note));
  pool.on("error", () => {});
  return pool;
}
