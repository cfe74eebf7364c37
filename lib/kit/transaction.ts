import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import {
  isConnectionLost,
  isDatabaseUnavailable,
  isTransactionConflict,
  isUniqueViolation,
} from "./database-errors.ts";
import { describeError } from "./describe-error.ts";
import { log } from "./log.ts";
import { inSpan } from "./spans.ts";

export type TransactionOptions<T> = {
  lockTimeoutMs?: number;
  /** Read-only, with one snapshot for all statements. */
  isReadOnly?: boolean;
  /**
   * Finds out whether an unanswered COMMIT succeeded. Must first access a row or unique key that the transaction locked or
   * wrote, which waits for its end, and lock what it finds. Rolled back if it returns false.
   */
  wasCommitted?: (connection: pg.PoolClient, result: T) => Promise<boolean>;
};

/**
 * We don't know whether a transaction committed. The client must get no answer, so that it retries with the same
 * idempotency key.
 */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super("It is unknown whether a transaction was committed.", { cause });
    this.name = "OutcomeUnknownError";
  }
}

/**
 * Runs `work` in a transaction: commits when it returns and rolls back when it throws, so a refusal that must persist
 * changes is returned, not thrown. If the connection breaks at COMMIT, `wasCommitted` decides between the result and the
 * error; without it, or without its answer in 5 s, throws OutcomeUnknownError. `work` must have no side effects, because
 * conflicts are retried.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  options: TransactionOptions<T> = {},
): Promise<T> {
  return inSpan({ name: "transaction" }, () => retryConflicts(() => attemptTransaction(pool, work, options)));
}

/** Retries a transaction after a deadlock or serialization failure, up to three attempts. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attemptsMax || !isTransactionConflict(error)) throw error;
      await delay(Math.random() * pauseMs * attempt);
    }
  }
}

const attemptsMax = 3;
const pauseMs = 20;

async function attemptTransaction<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  { lockTimeoutMs, isReadOnly, wasCommitted }: TransactionOptions<T>,
): Promise<T> {
  let lost: { result: T; error: unknown } | undefined;
  const result = await onConnection(pool, async (connection) => {
    const setTimeout = lockTimeoutMs === undefined ? "" : `; set local lock_timeout = ${Math.round(lockTimeoutMs)}`;
    await connection.query(`begin${isReadOnly ? " isolation level repeatable read, read only" : ""}${setTimeout}`);
    const done = await work(connection);
    const { command } = await connection.query("commit").catch((error: unknown) => {
      if (isConnectionLost(error)) lost = { result: done, error };
      throw error;
    });
    if (command === "ROLLBACK") throw new Error("A failed statement was ignored inside a transaction.");
    return done;
  }).catch((error: unknown) => {
    if (!lost) throw error;
    return lost.result;
  });
  if (!lost || isReadOnly) return result;
  const { error } = lost;
  if (!wasCommitted) throw new OutcomeUnknownError(error);
  const check = (leftMs: number) => runWithin(pool, (connection) => wasCommitted(connection, result), leftMs);
  if (await resolveOutcome(error, check)) return result;
  throw error;
}

/** A statement that is its own transaction and writes the same ids or keys each time it runs. */
export type SingleStatement<T> = {
  run: (connection: pg.PoolClient) => Promise<T>;
  readBack: (connection: pg.PoolClient) => Promise<T>;
  /** Called if the connection broke. The statement may still arrive and write what `readBack` doesn't find. */
  onLost?: () => void;
};

/**
 * Runs one statement without BEGIN and COMMIT. If its connection breaks, it runs again, and collides with its own keys if
 * the first run succeeded; then `readBack` answers. Throws OutcomeUnknownError if that fails for 5 s. Any other error
 * means that nothing was written.
 */
export async function runSingleStatement<T>(pool: pg.Pool, { run, readBack, onLost }: SingleStatement<T>): Promise<T> {
  let isSent = false;
  try {
    return await onConnection(
      pool,
      (connection) => {
        isSent = true;
        return run(connection);
      },
      { isTransaction: false },
    );
  } catch (error) {
    if (!isSent || !isConnectionLost(error)) throw error;
    onLost?.();
    return await resolveOutcome(error, async (leftMs) => {
      await runWithin(pool, run, leftMs).catch((conflict: unknown) => {
        if (!isUniqueViolation(conflict)) throw conflict;
      });
      return runWithin(pool, readBack, leftMs);
    });
  }
}

/** Always releases the connection: rolled back after an error, or destroyed if the rollback fails. */
async function onConnection<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  { isTransaction = true } = {},
): Promise<T> {
  const connection = await pool.connect();
  let isSound = false;
  try {
    const result = await work(connection);
    isSound = true;
    return result;
  } catch (error) {
    isSound = !isConnectionLost(error) && (!isTransaction || (await rollBack(connection)));
    throw error;
  } finally {
    connection.release(!isSound);
  }
}

function rollBack(connection: pg.PoolClient): Promise<boolean> {
  return connection.query("rollback").then(
    () => true,
    () => false,
  );
}

const resolveMs = 5000;
const retryMs = 50;

async function resolveOutcome<T>(cause: unknown, attempt: (leftMs: number) => Promise<T>): Promise<T> {
  log().warn({ error: describeError(cause) }, "a connection broke before its answer; checking what was committed");
  const giveUpAt = performance.now() + resolveMs;
  for (let leftMs = resolveMs; leftMs > 0; leftMs = giveUpAt - performance.now()) {
    let timer: NodeJS.Timeout | undefined;
    // A database that hangs doesn't end a statement by itself.
    const timeIsUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(cause), leftMs);
    });
    try {
      return await Promise.race([attempt(leftMs), timeIsUp]).finally(() => clearTimeout(timer));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) break;
      await delay(retryMs);
    }
  }
  throw new OutcomeUnknownError(cause);
}

/**
 * A transaction with a timeout for its locks and its COMMIT. Once committed, it proves that the rows it locked are
 * durable, even if a standby must confirm commits.
 */
function runWithin<T>(pool: pg.Pool, work: (connection: pg.PoolClient) => Promise<T>, leftMs: number): Promise<T> {
  return onConnection(pool, async (connection) => {
    await connection.query(`begin; set local lock_timeout = ${Math.ceil(leftMs)}`);
    const result = await work(connection);
    await connection.query(withTimeout(leftMs, result === false ? "rollback" : "commit"));
    return result;
  });
}

/** A statement with a client-side timeout, because the database's own timeouts don't apply while it waits for a standby. */
export function withTimeout(timeoutMs: number, text: string, values: unknown[] = []): pg.QueryConfig {
  return Object.assign({ text, values }, { query_timeout: Math.max(1, Math.round(timeoutMs)) });
}
