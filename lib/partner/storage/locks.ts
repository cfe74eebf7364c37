import type pg from "pg";
import { log } from "../../kit/log.ts";
import { memoize } from "../../kit/memoize.ts";
import { openPool } from "../../kit/postgres.ts";

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
  connection.on("error", noteBreak);
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
  connection.off("error", noteBreak);
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

function noteBreak(error: Error): void {
  log().warn({ error: error.message }, "the connection of a lock broke");
}
