import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { processWide } from "../../kit/memoize.ts";
import { openPool } from "../../kit/postgres.ts";
import { runTransaction } from "../../kit/transaction.ts";
import { partnerConfig } from "../config.ts";

/** The process's connections to Harbor's database, for locks, LISTEN and NOTIFY. */
export const partnerPool = processWide("partner.pool", (): pg.Pool => {
  const { databaseUrl, isDatabasePooled: isPooled } = partnerConfig();
  return openPool(databaseUrl, { isPooled });
});

/** Harbor's database through the query builder, each statement a transaction of its own. */
export const database = processWide("partner.database", (): NodePgDatabase => drizzle(partnerPool()));

/** The database, or the transaction that a storage function is to take part in. */
export type Db = PgDatabase<NodePgQueryResultHKT>;

/** Harbor's time in SQL: the database's, plus the sandbox's offset. Whatever expires or falls due is judged by it (Decision D15). */
export const harborNow = sql<Date>`harbor_now()`;

/** The database's own time in SQL, for what is measured in real time. */
export const realNow = sql<Date>`now()`;

/**
 * Runs `work` in one transaction (kit/transaction.ts says what becomes of it when a connection breaks): commits when it
 * returns, rolls back when it throws. No network call belongs inside.
 */
export function inTransaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
  return runTransaction(partnerPool(), (connection) => work(drizzle(connection)));
}
