import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { processWide } from "../../kit/memoize.ts";
import { openPool } from "../../kit/postgres.ts";
import { runTransaction, type TransactionOptions } from "../../kit/transaction.ts";
import { serviceConfig } from "../config.ts";

/** Where the migrations of the service's database are, and the catalog that they come to. */
export const migrationsFolder = "lib/service/storage/migrations";

/** The process's connections to the service's database, for prepared statements and NOTIFY. */
export const servicePool = processWide("service.pool", (): pg.Pool => {
  const { databaseUrl, isDatabasePooled: isPooled } = serviceConfig();
  return openPool(databaseUrl, { isPooled });
});

/** The service's database through the query builder, each statement a transaction of its own. */
export const database = processWide("service.database", (): NodePgDatabase => drizzle(servicePool()));

/** The database, or the transaction that a storage function is to take part in. */
export type Db = PgDatabase<NodePgQueryResultHKT>;

/** What a prepared statement runs on: the pool, or the connection that holds a transaction. */
export type Connection = Pick<pg.Pool | pg.PoolClient, "query">;

/** Options of a transaction (kit/transaction.ts). `wasCommitted` gets the proof's transaction both ways. */
export type ServiceTransactionOptions<T> = Omit<TransactionOptions<T>, "wasCommitted"> & {
  wasCommitted?: (tx: Db, connection: Connection, result: T) => Promise<boolean>;
};

/**
 * Runs `work` in one transaction (kit/transaction.ts). `connection` is the same transaction for prepared statements. A refusal
 * that must keep what it did is returned; no network call belongs inside.
 */
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
