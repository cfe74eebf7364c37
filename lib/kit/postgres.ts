import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "node:net";
import pg from "pg";
import { serversOf } from "./database-address.ts";
import { sentenceOf } from "./describe-error.ts";
import { log } from "./log.ts";
import { type OpenSpan, tracing } from "./spans.ts";

// Anything slower counts as hung. The database's address can override these, as in
// `postgres://…/gangway?statement_timeout=60000` (docs/operations.md).
const timeouts = {
  connectionTimeoutMillis: 5000,
  lock_timeout: 5000,
  statement_timeout: 15_000,
  // Frees the locks of a frozen or disconnected process before we give up on a lost COMMIT (transaction.ts).
  idle_in_transaction_session_timeout: 4_000,
  // Longer than the database's own timeout, whose error is more precise.
  query_timeout: 20_000,
};

const limitsOfDatabase = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"] as const;

/**
 * Opens a pool of connections, with timeouts, to servers that accept writes. A broken connection is logged and replaced; its
 * user gets the error. `isPooled`: the address is a transaction pooler's, which accepts neither named statements nor
 * timeouts per connection; call `requireTimeLimits` once. `schema` is the search path. `source` replaces the hosts of `url`.
 */
export function openPool(url: string, options: PoolOptions = {}): pg.Pool {
  const { connectionsMax = 20, isPooled = false, schema = "public", source } = options;
  const { connectionTimeoutMillis, query_timeout } = timeouts;
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  const limits = isPooled ? { connectionTimeoutMillis, query_timeout, isPooled } : timeouts;
  const config = { ...limits, ...keepAlive, ...serverOptions(url), max: connectionsMax, schema, source };
  const pool = tracing()
    ? new TracedPool({ ...config, Client: TracedClient })
    : new pg.Pool({ ...config, Client: WritableClient });
  const note = (error: Error) => log().warn({ error: error.message }, "a database connection broke");
  // The pool itself listens only to idle connections.
  pool.on("connect", (connection) => connection.on("error", note));
  pool.on("error", () => {});
  return pool;
}

type PoolOptions = {
  connectionsMax?: number;
  isPooled?: boolean;
  schema?: string;
  source?: AddressSource | undefined;
};

/** Finds the database's current address before each connection. `forget` is called when connecting failed. */
export type AddressSource = { find: () => Promise<string>; forget: () => void };

/** Throws if the role has no timeouts, which a pooled connection can't set. The message says how to set them. */
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
    `Behind a pooler the role itself must set time limits. Run this on the database, then restart the pooler: ${missing.join(" ")}`,
  );
}

export type Connection = Pick<pg.Pool | pg.PoolClient, "query">;

/** A statement of a hot path. PostgreSQL parses and plans it once per connection. Names must be unique. */
export type PreparedStatement = { name: string; text: string };

export async function runPrepared<Row extends object>(
  connection: Connection,
  statement: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...statement, values });
  return rows;
}

/** `servers`: one address per host, if the database's address names several. For the others, see `openPool`. */
export type WritableConfig = pg.ClientConfig & {
  servers?: string[];
  isPooled?: boolean;
  schema?: string | undefined;
  source?: AddressSource | undefined;
};

export function serverOptions(address: string): WritableConfig {
  const servers = serversOf(address);
  return { connectionString: servers[0] ?? address, ...(servers.length > 1 && { servers }) };
}

/**
 * A connection to a server that accepts writes; connecting to any other fails. With several hosts, each new connection probes
 * all of them and uses the first that accepts writes, so a failover needs no restart. Requires PostgreSQL 14.
 */
export class WritableClient extends pg.Client {
  readonly #servers: string[] | undefined;
  readonly #isPooled: boolean;
  readonly #schema: string;
  readonly #source: AddressSource | undefined;
  readonly #readOnlyReasons = new Set<string>();

  constructor(config: WritableConfig = {}) {
    super(config);
    this.#servers = config.servers;
    this.#isPooled = config.isPooled ?? false;
    this.#schema = config.schema ?? "public";
    this.#source = config.source;
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }: Record<string, string>) => {
      if (!parameterName || !/^(?:in_hot_standby|default_transaction_read_only)$/.test(parameterName)) return;
      if (parameterValue === "on") this.#readOnlyReasons.add(parameterName);
      else this.#readOnlyReasons.delete(parameterName);
    });
    destroyOnProtocolError(this.connection);
  }

  override query(...parameters: unknown[]): never {
    const query = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    const [statement, ...rest] = parameters;
    return query(this.#isPooled ? withoutName(statement) : statement, ...rest) as never;
  }

  override connect(...parameters: unknown[]): never {
    const connected = this.#connectUnbroken();
    const [callback] = parameters;
    if (typeof callback !== "function") return connected as never;
    connected.then(
      () => callback(null, this),
      (error: unknown) => callback(error),
    );
    return undefined as never;
  }

  // The server can close the connection right after its greeting, before the caller can listen for errors.
  async #connectUnbroken(): Promise<this> {
    let broken: Error | undefined;
    const note = (error: Error) => {
      broken ??= error;
    };
    this.on("error", note);
    try {
      await this.#connectToWritable();
      if (broken) throw broken;
      return this;
    } catch (error) {
      this.#source?.forget();
      throw error;
    } finally {
      this.off("error", note);
    }
  }

  async #connectToWritable(): Promise<void> {
    const servers = this.#source ? serversOf(await this.#source.find()) : this.#servers;
    const [server = ""] = servers ?? [];
    if (servers) {
      const { hostname, port } = new URL(servers.length > 1 ? await findWritable(servers) : server);
      // WHATWG URLs keep the brackets of an IPv6 address, which no resolver knows.
      this.host = hostname.replace(/^\[|\]$/g, "");
      this.port = Number(port || 5432);
    }
    await (super.connect() as Promise<unknown>);
    const isServed = this.#readOnlyReasons.size > 0 || this.#schema === "public" || (await this.#enterSchema());
    if (isServed && this.#readOnlyReasons.size === 0) return;
    this.on("error", () => {});
    await this.end();
    throw isServed
      ? new UnusableServerError("readOnly", `the server at ${this.host} accepts no writes`)
      : new UnusableServerError("notServed", `the schema ${this.#schema} isn't served at ${this.host}`);
  }

  // Not startup options, because the address may set those too. A cell move finds the connections to end by this name
  // (cell-nodes.ts), so it's set before the check, to miss none.
  async #enterSchema(): Promise<boolean> {
    const name = pg.escapeIdentifier(this.#schema);
    const found = `to_regnamespace(${pg.escapeLiteral(name)})`;
    const results = (await super.query(
      `set application_name to ${name}; set search_path to ${name}, pg_temp;
       select ${found} is not null and obj_description(${found}, 'pg_namespace') is distinct from '${closedSchema}' as served`,
    )) as unknown as pg.QueryResult<{ served: boolean }>[];
    return results.at(-1)?.rows[0]?.served === true;
  }
}

/**
 * Destroys a connection whose bytes can't be parsed, as when a pooler sends an error of its own in the middle of a row. pg
 * parses in a socket's event handler, where an exception would end the process.
 */
function destroyOnProtocolError(connection: pg.Connection): void {
  const reading = connection as unknown as { attachListeners: (stream: Socket) => void };
  const attach = reading.attachListeners.bind(connection);
  reading.attachListeners = (stream) => {
    const before = new Set(stream.listeners("data"));
    attach(stream);
    for (const read of stream.listeners("data").filter((listener) => !before.has(listener))) {
      stream.off("data", read as (bytes: Buffer) => void);
      stream.on("data", (bytes: Buffer) => {
        try {
          read(bytes);
        } catch (error) {
          const problem = `the database's response cannot be parsed: ${sentenceOf(error)}`;
          stream.destroy(new UnusableServerError("protocolViolation", problem, { cause: error }));
        }
      });
    }
  };
}

function withoutName(statement: unknown): unknown {
  const isNamed = typeof statement === "object" && statement !== null && "name" in statement && "text" in statement;
  return isNamed ? { ...statement, name: undefined } : statement;
}

// PostgreSQL's codes, so that a server counts as unavailable and a broken answer as a lost connection.
const codes = { readOnly: "25006", notServed: "08001", protocolViolation: "08P01" };

class UnusableServerError extends Error {
  readonly code: string;
  constructor(kind: keyof typeof codes, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusableServerError";
    this.code = codes[kind];
  }
}

/** The comment on a schema that accepts no connections, because its data is moving to or from another server. */
export const closedSchema = "moving";

/** An address with one host. If there are several, picks one that accepts writes now. */
export async function writableAddress(address: string): Promise<string> {
  const [server = address, ...others] = serversOf(address);
  return others.length === 0 ? server : findWritable([server, ...others]);
}

const searches = new Map<string, Promise<string>>();

function findWritable(servers: string[]): Promise<string> {
  const name = servers.join(" ");
  const search = searches.get(name) ?? searchWritable(servers).finally(() => searches.delete(name));
  searches.set(name, search);
  return search;
}

async function searchWritable(servers: string[]): Promise<string> {
  try {
    return await Promise.any(servers.map(probe));
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error];
    const failures = servers.map((server, index) => `${new URL(server).host}: ${sentenceOf(reasons[index])}`);
    const problem = `No server accepts writes (${failures.join("; ")})`;
    throw new UnusableServerError("notServed", problem, { cause: reasons[0] });
  }
}

const probeTimeoutMs = 2000;

async function probe(server: string): Promise<string> {
  const client = new WritableClient({ connectionString: server, connectionTimeoutMillis: probeTimeoutMs });
  client.on("error", () => {});
  await client.connect();
  await client.end();
  return server;
}

/** Its clients record a span for each statement made inside a span. */
class TracedPool extends pg.Pool {
  // A waiting caller is called back from another caller's release, and must keep its own span.
  override connect(callback?: (...results: never[]) => void): never {
    const connect = super.connect.bind(this) as (callback?: (...results: never[]) => void) => unknown;
    return connect(callback && AsyncLocalStorage.bind(callback)) as never;
  }
}

class TracedClient extends WritableClient {
  override query(...parameters: unknown[]): never {
    const query = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    const spans = tracing();
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

// Only the code, because PostgreSQL's messages quote values.
function end(span: OpenSpan, error?: unknown): void {
  if (error) span.fail(error instanceof Error && "code" in error ? String(error.code) : "connection_failed");
  span.end();
}

/** A statement's span name: its prepared name, or its verb and first table; never more of its text. */
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
