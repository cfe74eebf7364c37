import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { openPool } from "../../kit/postgres.ts";
import { runTransaction } from "../../kit/transaction.ts";
import type { PartnerConfig } from "../config.ts";
import { createLocks, type Locks } from "./locks.ts";

/** The database, or the transaction that a storage function is to take part in. */
export type Db = PgDatabase<NodePgQueryResultHKT>;

/** Harbor's database. */
export type Database = Locks & {
  pool: pg.Pool;
  /** The query builder; each statement is a transaction of its own. */
  db: NodePgDatabase;
  /**
   * Runs `work` in one transaction (kit/transaction.ts says what becomes of it when a connection breaks): commits when it
   * returns, rolls back when it throws. No network call belongs inside.
   */
  inTransaction: <T>(work: (tx: Db) => Promise<T>) => Promise<T>;
};

/** Opens Harbor's database; connections are made when they are needed. */
export function openDatabase({ databaseUrl, databaseDirectUrl, isDatabasePooled }: PartnerConfig): Database {
  const pool = openPool(databaseUrl, { isPooled: isDatabasePooled });
  return {
    pool,
    db: drizzle(pool),
    inTransaction: (work) => runTransaction(pool, (connection) => work(drizzle(connection))),
    ...createLocks(databaseDirectUrl),
  };
}

/** Harbor's time in SQL: the database's, plus the sandbox's offset. Whatever expires or falls due is judged by it (Decision D15). */
export const harborNow = sql<Date>`harbor_now()`;

/** The database's own time in SQL, for what is measured in real time. */
export const realNow = sql<Date>`now()`;
