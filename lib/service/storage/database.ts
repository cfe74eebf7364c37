import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { type Connection, openPool } from "../../kit/postgres.ts";
import { runTransaction, type TransactionOptions } from "../../kit/transaction.ts";
import { currentCell, firstCell, inCell, perCell, schemaOf } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { addressSource } from "./cell-addresses.ts";

export const migrationsFolder = "lib/service/storage/migrations";

/** The pool of the current cell. */
export const servicePool = perCell("service.pool", (): pg.Pool => {
  const { databaseUrl, isDatabasePooled: isPooled } = serviceConfig();
  return openPool(databaseUrl, { isPooled, ...placeOfCell() });
});

/** The schema and server of the current cell, for its connections. */
export function placeOfCell() {
  const cell = currentCell();
  const home = () => inCell(firstCell, servicePool);
  return { schema: schemaOf(cell), source: addressSource(cell, serviceConfig().databaseUrl, home) };
}

/** The query builder on the pool; each statement is its own transaction. */
export const database = perCell("service.database", (): NodePgDatabase => drizzle(servicePool()));

export type Db = PgDatabase<NodePgQueryResultHKT>;

export type { Connection };

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
