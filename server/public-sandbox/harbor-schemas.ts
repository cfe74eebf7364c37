import pg from "pg";
import { isOutsideTransactions, readBatch, readMigrations } from "../../lib/kit/migrations.ts";
import { openPool } from "../../lib/kit/postgres.ts";
import { type ListenHandlers, type ListenThrough, listenTo } from "../../lib/kit/wake-loop.ts";
import { createLocks, type Database, databaseOf } from "../../lib/partner/storage/database.ts";

/** Harbor's tables for many visitors: one schema each, over a few shared connections. */
export type HarborSchemas = {
  /** Creates a schema and its tables. */
  create: (schema: string) => Promise<Database>;
  drop: (schema: string) => Promise<void>;
  bytesOf: (schema: string) => Promise<number>;
  /** Current connections to Harbor's database. */
  countConnections: () => number;
  stop: () => Promise<void>;
};

const migrationsFolder = "lib/partner/storage/migrations";
const connectionsMax = 40;
const channel = "public_sandbox";
const relistenMs = 500;

export function openHarborSchemas(databaseUrl: string): HarborSchemas {
  const shared = openPool(databaseUrl, { connectionsMax });
  const locks = createLocks(databaseUrl);
  const switchboard = openSwitchboard(databaseUrl);
  return {
    create: async (schema) => {
      await shared.query(creationOf(schema));
      const database = databaseOf(new SchemaPool(shared, schema), locks);
      return { ...database, listen: switchboard.through(schema) };
    },
    drop: async (schema) => {
      await shared.query(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`);
    },
    bytesOf: async (schema) => {
      const { rows } = await shared.query<{ bytes: string | null }>(
        `select sum(pg_total_relation_size(oid)) as bytes from pg_class
         where relnamespace = to_regnamespace(quote_ident($1)) and relkind = 'r'`,
        [schema],
      );
      return Number(rows[0]?.bytes ?? 0);
    },
    countConnections: () => shared.totalCount + 1,
    stop: async () => {
      await switchboard.stop();
      await shared.end();
    },
  };
}

/**
 * One transaction in one round trip. The schema's own `pg_notify`, which its search path finds before PostgreSQL's, adds the
 * schema's name, so that notifications reach only that visitor.
 */
function creationOf(schema: string): string {
  const name = pg.escapeIdentifier(schema);
  const notify = `create function ${name}.pg_notify(channel text, payload text) returns void language sql as $$
    select pg_catalog.pg_notify('${channel}', json_build_array('${schema}', channel, payload)::text) $$`;
  return ["begin", `create schema ${name}`, `set local ${pathTo(schema)}`, notify, ...tables(), "commit"].join(";\n");
}

function pathTo(schema: string): string {
  return `search_path to ${pg.escapeIdentifier(schema)}, pg_catalog`;
}

/** The migrations' statements for an empty schema: indexes needn't be concurrent, and there are no rows to change. */
function tables(): string[] {
  return readMigrations(migrationsFolder).flatMap(({ statements }) =>
    statements
      .filter((statement) => !readBatch(statement))
      .map((statement) => (isOutsideTransactions(statement) ? statement.replace(/\bconcurrently\b/i, "") : statement))
      // Without the generator's schema prefix, names resolve on the search path.
      .map((statement) => statement.replaceAll('"public".', "").trim().replace(/;$/, "")),
  );
}

const pathOf = new WeakMap<pg.PoolClient, string>();

/** Lends connections of a shared pool, each with this schema as its search path and no other to fall back on. */
class SchemaPool extends pg.Pool {
  readonly #shared: pg.Pool;
  readonly #schema: string;

  constructor(shared: pg.Pool, schema: string) {
    super({ max: 1 });
    this.#shared = shared;
    this.#schema = schema;
  }

  override connect(callback?: (...results: never[]) => void): never {
    const lent = this.#lend();
    if (!callback) return lent as never;
    const done = callback as (...results: unknown[]) => void;
    lent.then(
      (client) => done(undefined, client, client.release.bind(client)),
      (error: unknown) => done(error),
    );
    return undefined as never;
  }

  async #lend(): Promise<pg.PoolClient> {
    const client = await this.#shared.connect();
    if (pathOf.get(client) === this.#schema) return client;
    try {
      await client.query(`set ${pathTo(this.#schema)}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    pathOf.set(client, this.#schema);
    return client;
  }
}

type Switchboard = { through: (schema: string) => ListenThrough; stop: () => Promise<void> };

/** One listening connection, shared by all visitors. */
function openSwitchboard(databaseUrl: string): Switchboard {
  const listeners = new Map<string, Set<Required<ListenHandlers>>>();
  let isStopped = false;
  let isListening = false;
  let connection = connect();

  function connect(): Promise<{ stop: () => Promise<void> } | undefined> {
    return listenTo({ databaseUrl, channel }, { onConnect, onNotify, onLost }).catch(() => {
      reconnect();
      return undefined;
    });
  }

  function reconnect(): void {
    if (isStopped) return;
    setTimeout(() => {
      connection = connect();
    }, relistenMs).unref();
  }

  function onConnect(): void {
    isListening = true;
  }

  // Each listener subscribes again on its own (keepListening).
  function onLost(): void {
    isListening = false;
    const lost = [...listeners.values()].flatMap((handlers) => [...handlers]);
    listeners.clear();
    for (const handlers of lost) handlers.onLost();
    reconnect();
  }

  function onNotify(text: string): void {
    const [schema, to, payload] = JSON.parse(text) as [string, string, string];
    for (const handlers of listeners.get(`${schema} ${to}`) ?? []) handlers.onNotify(payload);
  }

  return {
    through: (schema) => async (to, handlers) => {
      await connection;
      if (!isListening) throw new Error("visitors' notifications are interrupted");
      const key = `${schema} ${to}`;
      const known = listeners.get(key) ?? new Set();
      listeners.set(key, known.add(handlers));
      handlers.onConnect();
      return {
        stop: async () => {
          known.delete(handlers);
          if (known.size === 0 && listeners.get(key) === known) listeners.delete(key);
        },
      };
    },
    stop: async () => {
      isStopped = true;
      await (await connection)?.stop();
    },
  };
}
