import pg from "pg";
import { log } from "./log.ts";
import { tracing } from "./spans.ts";
import { openTracedPool } from "./traced-pool.ts";
import { serverOptions, WritableClient } from "./writable-client.ts";

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

const limitsOfDatabase = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"] as const;
const pooled = new WeakSet<pg.Pool>();

/**
 * A pool of connections to one database, with time limits on everything, to servers that take writes only. A connection that
 * breaks, idle or in use, is logged and replaced; whoever is using it gets the error, and the process goes on. `isPooled`: the
 * address is that of a pooler in transaction mode, which takes neither named statements nor limits from a connection; whoever
 * opens such a pool asks `requireTimeLimits` once.
 */
export function openPool(url: string, { connectionsMax = 20, isPooled = false } = {}): pg.Pool {
  const { connectionTimeoutMillis, query_timeout } = timeouts;
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  const limits = isPooled ? { connectionTimeoutMillis, query_timeout, isPooled } : timeouts;
  const options = { ...limits, ...keepAlive, ...serverOptions(url), max: connectionsMax };
  const pool = tracing() ? openTracedPool(options) : new pg.Pool({ ...options, Client: WritableClient });
  const note = (error: Error) => log().warn({ error: error.message }, "a database connection broke");
  // On each connection, for as long as it exists: the pool itself listens only while a connection is idle.
  pool.on("connect", (connection) => connection.on("error", note));
  pool.on("error", () => {});
  if (isPooled) pooled.add(pool);
  return pool;
}

/** Whether each transaction of this pool may be on another connection of the server's. */
export function isBehindPooler(pool: pg.Pool): boolean {
  return pooled.has(pool);
}

/**
 * Throws a sentence that says what to do when the database sets no limits of time by itself. Behind a pooler they cannot come
 * with a connection, and without them somebody who hangs holds up everybody.
 */
export async function requireTimeLimits(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; user: string }>(
    "select name, current_user as user from pg_settings where name = any ($1) and setting = '0'",
    [limitsOfDatabase],
  );
  if (rows.length === 0) return;
  const missing = rows.map(
    ({ name, user }) => `alter role "${user}" set ${name} = ${timeouts[name as "lock_timeout"]};`,
  );
  throw new Error(
    `Behind a pooler the limits of time must be the role's own. Run this at the database, then restart the pooler: ${missing.join(" ")}`,
  );
}
