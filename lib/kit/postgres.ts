import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { log } from "./log.ts";
import { type OpenSpan, tracing } from "./spans.ts";
import { serverOptions, WritableClient } from "./writable-client.ts";

// Anything slower than this hangs: a frozen process, a lost machine. The database's address
// can set other values, as in `postgres://…/gangway?statement_timeout=60000` (docs/operations.md).
const timeouts = {
  connectionTimeoutMillis: 5000,
  lock_timeout: 5000,
  statement_timeout: 15_000,
  // What a frozen or disconnected process holds is free after this: sooner than a lost COMMIT is given up (transaction.ts).
  idle_in_transaction_session_timeout: 4_000,
  // Later than the database's own, which says why.
  query_timeout: 20_000,
};

const limitsOfDatabase = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"] as const;

/**
 * A pool of connections to one database, with time limits on everything, to servers that take writes only. A connection that
 * breaks, idle or in use, is logged and replaced; its user gets the error, and the process goes on. `isPooled`: the
 * address is that of a pooler in transaction mode, which takes neither named statements nor limits from a connection; the
 * process calls `requireTimeLimits` once.
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
  return pool;
}

/**
 * Throws a sentence that says what to do when the database sets no limits of time by itself. Behind a pooler they cannot come
 * with a connection, and without them one hanging process holds up all.
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

/**
 * A pool whose connections make a span of each statement that is run within one. By pg's own option for the class of a
 * connection, so that a process without spans has the plain one and pays nothing.
 */
export function openTracedPool(options: pg.PoolConfig): pg.Pool {
  return new TracedPool({ ...options, Client: TracedClient });
}

class TracedPool extends pg.Pool {
  // A waiting caller is called back by the one that releases a connection, and must stay in its own span.
  override connect(callback?: (...results: never[]) => void): never {
    const connect = super.connect.bind(this) as (callback?: (...results: never[]) => void) => unknown;
    return connect(callback && AsyncLocalStorage.bind(callback)) as never;
  }
}

class TracedClient extends WritableClient {
  override query(...parameters: unknown[]): never {
    const query = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    const spans = tracing();
    // An idle worker's questions belong to no span.
    if (!spans?.current()) return query(...parameters) as never;
    const facts = { "db.system.name": "postgresql" };
    const span = spans.begin({ name: statementName(parameters[0]), kind: "client", facts });
    const callback = parameters.at(-1);
    if (typeof callback === "function") {
      const ended = (error: unknown, ...results: unknown[]) => {
        end(span, error);
        callback(error, ...results);
      };
      return query(...parameters.slice(0, -1), ended) as never;
    }
    const answered = query(...parameters);
    if (!(answered instanceof Promise)) {
      span.end();
      return answered as never;
    }
    return answered.then(
      (result) => {
        end(span);
        return result;
      },
      (error: unknown) => {
        end(span, error);
        throw error;
      },
    ) as never;
  }
}

// PostgreSQL's own sentences quote values, so only an error's code is kept.
function end(span: OpenSpan, error?: unknown): void {
  if (error) span.fail(error instanceof Error && "code" in error ? String(error.code) : "connection_failed");
  span.end();
}

/**
 * What the span of a statement is called: the name it was prepared under, or else its first word and its first table. Never
 * anything else of its text.
 */
export function statementName(statement: unknown): string {
  const { name, text } = typeof statement === "string" ? { name: "", text: statement } : readStatement(statement);
  if (name) return name;
  const [, verb = "statement"] = /^\s*([a-z]+)/i.exec(text) ?? [];
  if (!/^(?:select|insert|update|delete|with|notify|listen)$/i.test(verb)) return verb.toLowerCase();
  const [, table] = /\b(?:from|into|update|notify|listen)\s+"?([a-z_]+)\b"?(?!\s*\()/i.exec(text) ?? [];
  return table ? `${verb.toLowerCase()} ${table}` : verb.toLowerCase();
}

function readStatement(statement: unknown): { name: string; text: string } {
  const { name = "", text = "" } = (statement ?? {}) as { name?: string; text?: string };
  return { name, text };
}
