import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isConnectionLost } from "./database-errors.ts";
import { log } from "./log.ts";
import { isBehindPooler } from "./postgres.ts";
import {
  askAgainMs,
  confirm,
  findOutMs,
  OutcomeUnknownError,
  runTransaction,
  waitsForStandby,
  within,
} from "./transaction.ts";

/** A statement that is a transaction by itself, and how to learn what it did when its answer is lost. */
export type SingleStatement<T> = {
  run: (connection: pg.PoolClient) => Promise<T>;
  /** Reads what the statement left behind, if anything. Asked only when it can leave nothing more. */
  readBack: (pool: pg.Pool) => Promise<T>;
};

/**
 * Runs one statement without BEGIN and COMMIT. When the connection breaks before its answer, the backend that may still be
 * working on it is ended, and then `readBack` answers in its place; if that cannot be done within 5 s, this throws
 * OutcomeUnknownError. Any other error means that the statement did nothing.
 */
export async function runSingleStatement<T>(pool: pg.Pool, { run, readBack }: SingleStatement<T>): Promise<T> {
  // There nobody knows which backend gets the statement, and a transaction has a number to ask about.
  if (isBehindPooler(pool)) return runTransaction(pool, run);
  const connection = await pool.connect();
  let isSound = false;
  let sentTo: Backend | undefined;
  try {
    const backend = await backendOf(connection);
    sentTo = backend;
    const result = await run(connection);
    isSound = true;
    return result;
  } catch (error) {
    isSound = !isConnectionLost(error);
    if (isSound || !sentTo) throw error;
    log().warn({ error }, "a connection broke under a statement; finding out what it did");
    return await findOut(pool, sentTo, readBack, error);
  } finally {
    connection.release(!isSound);
  }
}

// A number is given to another backend some time after the first one's end, so its start counts too.
type Backend = { pid: number; startedAt: string };
const backends = new WeakMap<pg.PoolClient, Backend>();

async function backendOf(connection: pg.PoolClient): Promise<Backend> {
  const known = backends.get(connection);
  if (known) return known;
  const { rows } = await connection.query<Backend>(
    `select pid, extract(epoch from backend_start)::text as "startedAt" from pg_stat_get_activity(pg_backend_pid())`,
  );
  const [backend] = rows;
  if (!backend) throw new Error("A connection must have a backend.");
  backends.set(connection, backend);
  return backend;
}

async function findOut<T>(
  pool: pg.Pool,
  backend: Backend,
  readBack: (pool: pg.Pool) => Promise<T>,
  cause: unknown,
): Promise<T> {
  const giveUpAt = performance.now() + findOutMs;
  while (performance.now() < giveUpAt) {
    try {
      if (await isOver(pool, backend)) {
        const result = await readBack(pool);
        await pool.query(within(giveUpAt - performance.now(), `select ${confirm}`));
        return result;
      }
    } catch (error) {
      if (!isConnectionLost(error)) throw new OutcomeUnknownError(cause);
    }
    await delay(askAgainMs);
  }
  throw new OutcomeUnknownError(cause);
}

/** Whether this backend is gone; ends it if not. A server that is being restored does not know yet what was committed. */
async function isOver(pool: pg.Pool, { pid, startedAt }: Backend): Promise<boolean> {
  const { rows } = await pool.query<{ isRestoring: boolean; alive: number }>(
    `select pg_is_in_recovery() as "isRestoring", count(*)::int as alive,
       count(case when not ${waitsForStandby} then pg_terminate_backend(pid) end) as ended
     from pg_stat_activity where pid = $1 and extract(epoch from backend_start)::text = $2`,
    [pid, startedAt],
  );
  return rows[0]?.isRestoring === false && rows[0].alive === 0;
}
