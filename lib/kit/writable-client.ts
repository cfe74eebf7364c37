import type { Socket } from "node:net";
import pg from "pg";
import { serversOf } from "./database-address.ts";
import { sentenceOf } from "./describe-error.ts";

/**
 * What a connection is made with. `servers` has an address for each host when the database's address names several. `isPooled`:
 * a pooler gives each transaction another connection, where what this one prepared is not known.
 */
export type WritableConfig = pg.ClientConfig & { servers?: string[]; isPooled?: boolean };

// One that is away for longer is not the one to use: whoever asks for a connection waits for 5 s (postgres.ts).
const probeTimeoutMs = 2000;

/** The options that lead to a database, whether its address names one host or several. */
export function serverOptions(address: string): WritableConfig {
  const servers = serversOf(address);
  return { connectionString: servers[0] ?? address, ...(servers.length > 1 && { servers }) };
}

/**
 * A connection that is made to a server that takes writes, or not at all. A standby says in its greeting what it is
 * (PostgreSQL 14 and later), so this costs nothing. Of several hosts, all are asked at each new connection, and the first that
 * takes writes is used: a standby that was promoted is found without a restart.
 */
export class WritableClient extends pg.Client {
  readonly #servers: string[] | undefined;
  readonly #isPooled: boolean;
  readonly #refusals = new Set<string>();

  constructor(config: WritableConfig = {}) {
    super(config);
    this.#servers = config.servers;
    this.#isPooled = config.isPooled ?? false;
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }: Record<string, string>) => {
      if (!parameterName || !/^(?:in_hot_standby|default_transaction_read_only)$/.test(parameterName)) return;
      if (parameterValue === "on") this.#refusals.add(parameterName);
      else this.#refusals.delete(parameterName);
    });
    endWhatCannotBeRead(this.connection);
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

  // A server may greet and end the connection in one breath, before whoever wanted it can listen: then it was never made.
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
    } finally {
      this.off("error", note);
    }
  }

  override query(...parameters: unknown[]): never {
    const query = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    const [statement, ...rest] = parameters;
    return query(this.#isPooled ? withoutName(statement) : statement, ...rest) as never;
  }

  async #connectToWritable(): Promise<void> {
    if (this.#servers) {
      const { hostname, port } = new URL(await findWritable(this.#servers));
      this.host = hostname;
      this.port = Number(port || 5432);
    }
    await (super.connect() as Promise<unknown>);
    if (this.#refusals.size === 0) return;
    // Whatever becomes of it now, nobody else listens to it.
    this.on("error", () => {});
    await this.end();
    throw new ReadOnlyServerError(this.host);
  }
}

/**
 * Ends a connection that sends what cannot be read. A pooler does that when its server is lost in the middle of a row: it goes
 * on with an error of its own. pg reads in a socket's event, where an exception would end the process.
 */
function endWhatCannotBeRead(connection: pg.Connection): void {
  const reading = connection as unknown as { attachListeners: (stream: Socket) => void };
  const attach = reading.attachListeners.bind(connection);
  reading.attachListeners = (stream) => {
    const before = new Set(stream.listeners("data"));
    attach(stream);
    for (const read of stream.listeners("data").filter((one) => !before.has(one))) {
      stream.off("data", read as (bytes: Buffer) => void);
      stream.on("data", (bytes: Buffer) => {
        try {
          read(bytes);
        } catch (error) {
          stream.destroy(new UnreadableAnswerError(sentenceOf(error), { cause: error }));
        }
      });
    }
  };
}

class UnreadableAnswerError extends Error {
  // PostgreSQL's own for a violation of the protocol, so that the connection counts as lost.
  readonly code = "08P01";
  constructor(reason: string, options: ErrorOptions) {
    super(`what the database sent cannot be read: ${reason}`, options);
    this.name = "UnreadableAnswerError";
  }
}

function withoutName(statement: unknown): unknown {
  const isNamed = typeof statement === "object" && statement !== null && "name" in statement && "text" in statement;
  return isNamed ? { ...statement, name: undefined } : statement;
}

/** The server takes no writes: a standby, or a primary that is closed to them. */
export class ReadOnlyServerError extends Error {
  // PostgreSQL's own for a write at such a server, so that it counts as a database that is away.
  readonly code = "25006";
  constructor(host: string) {
    super(`the server at ${host} takes no writes`);
    this.name = "ReadOnlyServerError";
  }
}

/** An address with one host for what is done once, at the start. Of several the one that takes writes at this moment. */
export async function writableAddress(address: string): Promise<string> {
  const [server = address, ...others] = serversOf(address);
  return others.length === 0 ? server : findWritable([server, ...others]);
}

// Connections that are wanted at the same time share one search.
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
    const told = servers.map((server, place) => `${new URL(server).host}: ${sentenceOf(reasons[place])}`);
    throw new NoWritableServerError(`No server takes writes (${told.join("; ")})`, { cause: reasons[0] });
  }
}

class NoWritableServerError extends Error {
  readonly code = "08001";
}

async function probe(server: string): Promise<string> {
  const client = new WritableClient({ connectionString: server, connectionTimeoutMillis: probeTimeoutMs });
  client.on("error", () => {});
  await client.connect();
  await client.end();
  return server;
}
