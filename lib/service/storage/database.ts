import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { processWide } from "../../kit/memoize.ts";
import { type AddressSource, type Connection, openPool } from "../../kit/postgres.ts";
import { runTransaction, type TransactionOptions } from "../../kit/transaction.ts";
import { type Cell, currentCell, firstCell, inCell, perCell, schemaOf } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { addressSource } from "./cell-addresses.ts";

export const migrationsFolder = "lib/service/storage/migrations";

const pools = perCell("service.pool", (): pg.Pool => {
  const { databaseUrl, isDatabasePooled: isPooled } = serviceConfig();
  return openPool(databaseUrl, { isPooled, ...locationOfCell() });
});

const builders = perCell("service.database", (): NodePgDatabase => drizzle(pools()));

/** The pool of the current cell. */
export function servicePool(): pg.Pool {
  return openingPool() ?? pools();
}

/** The query builder on the pool; each statement is its own transaction. */
export function database(): NodePgDatabase {
  const pool = openingPool();
  return pool ? drizzle(pool) : builders();
}

/** The schema and server of the current cell, for its connections. */
export function locationOfCell(): { schema: string; source: AddressSource | undefined } {
  const cell = currentCell();
  const source = sourceOf(cell);
  const findOpen = async (found: AddressSource) => {
    if (closedCells().has(cell)) throw new ClosedCellError(cell);
    return found.find();
  };
  return { schema: schemaOf(cell), source: source && { ...source, find: () => findOpen(source) } };
}

function sourceOf(cell: Cell): AddressSource | undefined {
  return addressSource(cell, serviceConfig().databaseUrl, () => inCell(firstCell, servicePool));
}

/** The cells that couldn't be reached when this process started: they get no connection until `openCell` has checked them. */
export const closedCells = processWide("service.closed_cells", () => new Set<Cell>());

const opening = new AsyncLocalStorage<{ cell: Cell; pool: pg.Pool }>();

function openingPool(): pg.Pool | undefined {
  const store = opening.getStore();
  return store?.cell === currentCell() ? store.pool : undefined;
}

/** Opens the current, closed cell if `check` doesn't throw. Only its statements can reach the cell until then. */
export async function openCell(check: () => Promise<void>): Promise<void> {
  const cell = currentCell();
  const pool = openPool(serviceConfig().databaseUrl, { schema: schemaOf(cell), source: sourceOf(cell) });
  try {
    await opening.run({ cell, pool }, check);
  } finally {
    await pool.end();
  }
  closedCells().delete(cell);
}

class ClosedCellError extends Error {
  // PostgreSQL's sqlclient_unable_to_establish_sqlconnection, so that the database counts as unavailable.
  readonly code = "08001";
  constructor(cell: Cell) {
    super(`cell ${cell} was unreachable when this process started and hasn't been checked yet`);
    this.name = "ClosedCellError";
  }
}

export type Db = PgDatabase<NodePgQueryResultHKT>;

export type { Connection };

/** A row's id and its client's. */
export type RowOfClient = { id: string; clientId: string };

/** A row's id and its user's. */
export type RowOfUser = { id: string; userId: string };

export type PhoneOfClient = { clientId: string; phone: string };

/** At most `limit` of a client's rows. */
export type ClientListOptions = { clientId: string; limit: number };

/** The options of `runTransaction`; `wasCommitted` gets its transaction in both forms. */
export type ServiceTransactionOptions<T> = Omit<TransactionOptions<T>, "wasCommitted"> & {
  wasCommitted?: (tx: Db, connection: Connection, result: T) => Promise<boolean>;
};

/** `runTransaction` on the service's database. `tx` and `connection` are the same transaction, for both kinds of statements. */
export function inTransaction<T>(
  work: (tx: Db, connection: Connection) => Promise<T>,
  { wasCommitted, ...options }: ServiceTransactionOptions<T> = {},
): Promise<T> {
  return runTransaction(servicePool(), (connection) => work(drizzle(connection), connection), {
    ...options,
    ...(wasCommitted && {
      wasCommitted: (connection: pg.PoolClient, result: T) => wasCommitted(drizzle(connection), connection, result),
    }),
  });
}
