import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import { log } from "../../kit/log.ts";
import { memoize } from "../../kit/memoize.ts";
import { openPool } from "../../kit/postgres.ts";
import { runTransaction } from "../../kit/transaction.ts";
import type { ListenThrough } from "../../kit/wake-loop.ts";
import type { PartnerConfig } from "../config.ts";

/** The database, or a transaction. */
export type Db = PgDatabase<NodePgQueryResultHKT>;

export type Database = Locks & {
  pool: pg.Pool;
  /** The query builder; each statement is its own transaction. */
  db: NodePgDatabase;
  /** Runs `work` in one transaction (kit/transaction.ts). Don't make network calls inside. */
  inTransaction: <T>(work: (tx: Db) => Promise<T>) => Promise<T>;
  /** Undefined: each listener has its own connection. */
  listen?: ListenThrough | undefined;
};

export function openDatabase({ databaseUrl, databaseDirectUrl, isDatabasePooled }: PartnerConfig): Database {
  return databaseOf(openPool(databaseUrl, { isPooled: isDatabasePooled }), createLocks(databaseDirectUrl));
}

export function databaseOf(pool: pg.Pool, locks: Locks): Database {
  return {
    pool,
    db: drizzle(pool),
    inTransaction: (work) => runTransaction(pool, (connection) => work(drizzle(connection))),
    ...locks,
  };
}

export const channels = {
  webhooks: "harbor_work",
  messages: "harbor_messages",
  batches: "harbor_batches",
  changes: "harbor_changes",
  clock: "harbor_clock",
} as const;

export function listenOn(
  { config, listen }: Pick<Database, "listen"> & { config: PartnerConfig },
  channel: (typeof channels)[keyof typeof channels],
) {
  return { databaseUrl: config.databaseDirectUrl, channel, through: listen };
}

/** Harbor's time in SQL, for everything that expires or falls due (Decision D15). */
export const harborNow = sql<Date>`harbor_now()`;

export const realNow = sql<Date>`now()`;

// Longer than one refresh takes (10 s), and shorter than the statement timeout (kit/postgres.ts).
const lockTimeoutMs = 14_000;
const refreshLockKind = 52_001;
const paymentLockKind = 52_002;

/**
 * Locks between processes. A connection holds them, not a transaction, because their work calls the service. If there is no
 * connection, as while ten holders hang, `work` runs without the lock.
 */
export type Locks = {
  /** One refresh per user at a time. After the timeout a hung holder is ignored: two refreshes do no harm. */
  withRefreshLock: <T>(userId: string, work: () => Promise<T>, options?: { timeoutMs?: number }) => Promise<T>;
  /** One send per idempotency key at a time. A hung holder is ignored, so `work` must be safe without the lock. */
  withPaymentLock: <T>(idempotencyKey: string, work: () => Promise<T>) => Promise<T>;
};

/**
 * Separate pools, so that waiting for a lock doesn't take connections from pages or from the holder of the other lock.
 * @param directUrl bypasses a pooler, which would switch connections under the lock
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
  const connection = await pool.connect().catch((error: Error) => {
    log().warn({ kind: lock[0], name: lock[1], error: error.message }, "no connection for a lock");
    return undefined;
  });
  if (!connection) return work();
  connection.on("error", logBreak);
  try {
    await takeLock(connection, lock);
    return await work();
  } finally {
    await giveBack(connection);
  }
}

// Closing a broken connection frees its locks.
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
    log().warn({ kind, name }, "passed a lock holder that hangs");
  }
}

// 55P03 is PostgreSQL's lock_not_available.
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}

function logBreak(error: Error): void {
  log().warn({ error: error.message }, "the connection of a lock broke");
}
