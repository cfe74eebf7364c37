import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { log } from "../../kit/log.ts";
import { memoize } from "../../kit/memoize.ts";
import { openPool } from "../../kit/postgres.ts";
import { runTransaction } from "../../kit/transaction.ts";
import type { PartnerConfig } from "../config.ts";

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

// Longer than one refresh can take (the call's own timeout is 10 s), so that only a holder that hangs is ever passed.
// And shorter than a statement may take at all (kit/postgres.ts), or waiting would end as an error.
const lockTimeoutMs = 14_000;
// Tells these advisory locks from any other of this database.
const refreshLockKind = 52_001;
const paymentLockKind = 52_002;

/** Locks between processes. They belong to a connection and not to a transaction, so nothing stays open while the network is asked. */
export type Locks = {
  /**
   * Runs `work` while no other process runs it for the same user of the service. PostgreSQL frees the lock when its process
   * dies. A holder that hangs is passed after the timeout: two refreshes at once are waste, not harm.
   */
  withRefreshLock: <T>(userId: string, work: () => Promise<T>, options?: { timeoutMs?: number }) => Promise<T>;
  /**
   * Runs `work` while no other click on the same form runs it: the second finds out what became of the first. One that hangs
   * is passed, so `work` must be safe without the lock too.
   */
  withPaymentLock: <T>(idempotencyKey: string, work: () => Promise<T>) => Promise<T>;
};

/**
 * Pools apart: connections that wait for a lock, or for the service, must not be those that pages need, nor those that the
 * holder of the other lock needs.
 * @param directUrl past a pooler, which would give each transaction another connection while the lock stays on the first
 */
export function createLocks(directUrl: string): Locks {
  const refreshLocks = memoize(() => openPool(directUrl, { connectionsMax: 10 }));
  const paymentLocks = memoize(() => openPool(directUrl, { connectionsMax: 10 }));
  return {
    withRefreshLock: (userId, work, { timeoutMs = lockTimeoutMs } = {}) =>
      withLock(refreshLocks(), [refreshLockKind, userId, timeoutMs], work),
    withPaymentLock: (idempotencyKey, work) =>
      withLock(paymentLocks(), [paymentLockKind, idempotencyKey, lockTimeoutMs], work),
  };
}

type Lock = [kind: number, name: string, timeoutMs: number];

async function withLock<T>(pool: pg.Pool, lock: Lock, work: () => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  connection.on("error", logBreak);
  try {
    await takeLock(connection, lock);
    return await work();
  } finally {
    await giveBack(connection);
  }
}

// A connection that cannot say that it let go is ended, which gives its locks back whatever state it is in.
async function giveBack(connection: pg.PoolClient): Promise<void> {
  const isFree = await connection.query("select pg_advisory_unlock_all()").then(
    () => true,
    () => false,
  );
  connection.off("error", logBreak);
  connection.release(!isFree);
}

async function takeLock(connection: pg.PoolClient, [kind, name, timeoutMs]: Lock): Promise<void> {
  try {
    await connection.query("select set_config('lock_timeout', $1, false)", [`${timeoutMs}ms`]);
    await connection.query("select pg_advisory_lock($1, hashtext($2))", [kind, name]);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    log().warn({ kind, name }, "passed the holder of a lock, who hangs");
  }
}

// 55P03 is PostgreSQL's lock_not_available.
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}

function logBreak(error: Error): void {
  log().warn({ error: error.message }, "the connection of a lock broke");
}
