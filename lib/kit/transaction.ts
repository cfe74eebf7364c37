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

/** Options of one transaction. */
export type TransactionOptions<T> = {
  /** How long its statements wait for a lock; the connection's own limit when left out. */
  lockTimeoutMs?: number;
  /** It changes nothing, and all its statements share one snapshot. */
  readsOneMoment?: boolean;
  /**
   * Proves a COMMIT whose answer was lost. Must first run into a row or a unique key that the transaction has locked or
   * written, which waits until the transaction has ended, and lock what it then finds. Rolled back when it returns false.
   */
  wasCommitted?: (connection: pg.PoolClient, result: T) => Promise<boolean>;
};

/**
 * Whether the transaction was committed could not be found out. It must be answered neither as done nor as failed: the client
 * gets no answer, and asks again with the same idempotency key.
 */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super("Whether a transaction was committed could not be found out.", { cause });
    this.name = "OutcomeUnknownError";
  }
}

/**
 * Runs `work` in one transaction on one connection: commits when it returns, rolls back when it throws. A refusal that must
 * keep what it did (a burned code) is therefore returned. When the connection breaks at COMMIT, `wasCommitted` decides between
 * the result and the connection's error; without it, or without its answer in 5 s, this throws OutcomeUnknownError. A deadlock
 * or serialization failure runs `work` again, three times at most, so `work` must do nothing outside the transaction.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  options: TransactionOptions<T> = {},
): Promise<T> {
  return inSpan({ name: "transaction" }, () => retryConflicts(() => attemptTransaction(pool, work, options)));
}

/** Runs something that is one transaction, and again after a deadlock or serialization failure: three times at most. */
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
  { lockTimeoutMs, readsOneMoment, wasCommitted }: TransactionOptions<T>,
): Promise<T> {
  let lost: { result: T; error: unknown } | undefined;
  const result = await onConnection(pool, async (connection) => {
    const setTimeout = lockTimeoutMs === undefined ? "" : `; set local lock_timeout = ${Math.round(lockTimeoutMs)}`;
    await connection.query(`begin${readsOneMoment ? " isolation level repeatable read, read only" : ""}${setTimeout}`);
    const done = await work(connection);
    const { command } = await connection.query("commit").catch((error: unknown) => {
      if (isConnectionLost(error)) lost = { result: done, error };
      throw error;
    });
    if (command === "ROLLBACK") throw new Error("A failed statement was passed over inside a transaction.");
    return done;
  }).catch((error: unknown) => {
    if (!lost) throw error;
    return lost.result;
  });
  if (!lost || readsOneMoment) return result;
  const { error } = lost;
  if (!wasCommitted) throw new OutcomeUnknownError(error);
  if (await findOut(error, (leftMs) => ask(pool, (connection) => wasCommitted(connection, result), leftMs)))
    return result;
  throw error;
}

/** A statement that is a transaction by itself and writes the same ids or keys however often it runs. */
export type SingleStatement<T> = {
  run: (connection: pg.PoolClient) => Promise<T>;
  /** Finds what any run has written, and locks it. */
  readBack: (connection: pg.PoolClient) => Promise<T>;
  /** The connection broke under it. What `readBack` does not find may yet be written, if the statement is still on its way. */
  onLost?: () => void;
};

/**
 * Runs one statement without BEGIN and COMMIT. When the connection breaks before its answer, it is run again: of two runs, one
 * finds the keys of the other. Then `readBack` answers; if that can't be done within 5 s, this throws OutcomeUnknownError. Any
 * other error means that the statement did nothing.
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
    return await findOut(error, async (leftMs) => {
      await ask(pool, run, leftMs).catch((conflict: unknown) => {
        if (!isUniqueViolation(conflict)) throw conflict;
      });
      return ask(pool, readBack, leftMs);
    });
  }
}

/** Works on one connection, which is given back whatever happens: rolled back if it failed, closed if it can't even do that. */
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

// How long to look for an outcome, in milliseconds. A client gives up on its request not much later.
const findOutMs = 5000;
const askAgainMs = 50;

/** Attempts until the database answers, 5 s at most. Throws OutcomeUnknownError otherwise. */
async function findOut<T>(cause: unknown, attempt: (leftMs: number) => Promise<T>): Promise<T> {
  log().warn({ error: describeError(cause) }, "a connection broke before its answer; finding out what was committed");
  const giveUpAt = performance.now() + findOutMs;
  for (let leftMs = findOutMs; leftMs > 0; leftMs = giveUpAt - performance.now()) {
    try {
      return await attempt(leftMs);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) break;
      await delay(askAgainMs);
    }
  }
  throw new OutcomeUnknownError(cause);
}

/**
 * A transaction with a limit on each lock and on its COMMIT. A row that it has locked is as safe as its own commit once that
 * is answered: where a standby must confirm commits, what a lost one left may be on this server alone.
 */
function ask<T>(pool: pg.Pool, question: (connection: pg.PoolClient) => Promise<T>, leftMs: number): Promise<T> {
  return onConnection(pool, async (connection) => {
    await connection.query(`begin; set local lock_timeout = ${Math.ceil(leftMs)}`);
    const answer = await question(connection);
    await connection.query(within(leftMs, answer === false ? "rollback" : "commit"));
    return answer;
  });
}

/** A statement that is given up after this time, because no limit of the database's holds while it waits for a standby. */
export function within(timeoutMs: number, text: string, values: unknown[] = []): pg.QueryConfig {
  // Known to pg and not to its types.
  return Object.assign({ text, values }, { query_timeout: Math.max(1, Math.round(timeoutMs)) });
}
