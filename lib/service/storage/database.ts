import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { processWide } from "../../kit/memoize.ts";
import { openPool } from "../../kit/postgres.ts";
import { serviceConfig } from "../config.ts";

/** The process's connections to the service's database, for prepared statements and NOTIFY. */
export const servicePool = processWide("service.pool", (): pg.Pool => openPool(serviceConfig().databaseUrl));

/** The service's database through the query builder, each statement a transaction of its own. */
export const database = processWide("service.database", (): NodePgDatabase => drizzle(servicePool()));

/** The database, or the transaction that a storage function is to take part in. */
export type Db = PgDatabase<NodePgQueryResultHKT>;

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A refusal that must keep what it
 * did (a burned code) is therefore returned. No network call belongs inside.
 */
export function inTransaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
  return database().transaction(work);
}
