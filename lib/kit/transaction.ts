import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isConnectionLost, isTransactionConflict } from "./database-errors.ts";
import { describeError } from "./describe-error.ts";
import { log } from "./log.ts";
import { isBehindPooler } from "./postgres.ts";
import { inSpan } from "./spans.ts";

/** What is special about one transaction. */
export type TransactionOptions = {
  /** How long its statements wait for a lock; the connection's own limit when left out. */
  lockTimeoutMs?: number;
  /** It changes nothing, and all its statements see what the first one saw. */
  readsOneMoment?: boolean;
};

/**
 * Whether the transaction was committed could not be found out. It must be answered neither as done nor as failed: whoever
 * asked gets no answer, and asks again with the same idempotency key.
 */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super("Whether a transaction was committed could not be found out.", { cause });
    this.name = "OutcomeUnknownError";
  }
}

/**
 * Runs `work` in one transaction on one connection: commits when it returns, rolls back when it throws. A refusal that must
 * keep what it did (a burned code) is therefore returned. When the connection breaks at COMMIT, the database is asked what
 * became of the transaction: committed returns, rolled back throws the connection's error, unknown throws
 * OutcomeUnknownError. A deadlock or serialization failure runs `work` again, three times at most, so `work` must do nothing
 * outside the transaction: no network call belongs inside. The connection is given back whatever happens.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
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
/** How long to ask what became of a transaction, in milliseconds. A client gives up on its request not much later. */
export const findOutMs = 5000;
/** The pause between two such questions, in milliseconds. */
export const askAgainMs = 50;

// Which transaction of which life of the database. Numbers of transactions can be given again after a crash or a failover, so
// the number counts only while the same server goes on: a crash resets its statistics, another server has others, and each
// promotion begins a timeline. (Statistics alone would not do: a primary that was stopped in order keeps them as a standby.)
type Identity = { xid: string; life: string };
const lives = new WeakMap<pg.PoolClient, string>();

type Attempt<T> = { kind: "committed"; result: T } | { kind: "unknown"; result: T; identity: Identity; error: unknown };

async function attemptTransaction<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const attempt = await runOnConnection(pool, work, options);
  if (attempt.kind === "committed") return attempt.result;
  log().warn({ error: describeError(attempt.error) }, "a connection broke at commit; finding out what became of it");
  if (await wasCommitted(pool, attempt.identity, attempt.error)) return attempt.result;
  throw attempt.error;
}

async function runOnConnection<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  options: TransactionOptions,
): Promise<Attempt<T>> {
  const connection = await pool.connect();
  // A connection that cannot even roll back is closed, which rolls back.
  let isSound = false;
  try {
    // Behind a pooler the next transaction may be at another server, while this connection goes on.
    if (isBehindPooler(pool)) lives.delete(connection);
    const identity = await begin(connection, options);
    const result = await work(connection);
    try {
      const { command } = await connection.query("commit");
      isSound = true;
      if (command === "ROLLBACK") throw new Error("A failed statement was passed over inside a transaction.");
      return { kind: "committed", result };
    } catch (error) {
      if (isSound || !isConnectionLost(error)) throw error;
      return { kind: "unknown", result, identity, error };
    }
  } catch (error) {
    isSound ||= !isConnectionLost(error) && (await rollBack(connection));
    throw error;
  } finally {
    connection.release(!isSound);
  }
}

// One message and one answer, whatever it holds. The number is taken at once, because after COMMIT it is too late.
async function begin(
  connection: pg.PoolClient,
  { lockTimeoutMs, readsOneMoment }: TransactionOptions,
): Promise<Identity> {
  const known = lives.get(connection);
  const results = await connection.query(
    [
      readsOneMoment ? "begin isolation level repeatable read, read only" : "begin",
      ...(lockTimeoutMs === undefined ? [] : [`set local lock_timeout = ${Math.round(lockTimeoutMs)}`]),
      `select pg_current_xact_id()::text as xid${known === undefined ? `, (${selectLife}) as life` : ""}`,
    ].join("; "),
  );
  const rows = (results as unknown as pg.QueryResult<{ xid: string; life?: string }>[]).at(-1)?.rows;
  const xid = rows?.[0]?.xid;
  const life = known ?? rows?.[0]?.life;
  if (xid === undefined || life === undefined) throw new Error("A transaction must have a number.");
  lives.set(connection, life);
  return { xid, life };
}

const selectLife = `select left(pg_walfile_name(pg_current_wal_lsn()), 8) || coalesce(stats_reset::text, '') from pg_stat_bgwriter`;

function rollBack(connection: pg.PoolClient): Promise<boolean> {
  return connection.query("rollback").then(
    () => true,
    () => false,
  );
}

/** Asks on other connections until the old one's backend is surely done with it. Throws OutcomeUnknownError. */
async function wasCommitted(pool: pg.Pool, identity: Identity, cause: unknown): Promise<boolean> {
  const giveUpAt = performance.now() + findOutMs;
  while (performance.now() < giveUpAt) {
    switch (await askForStatus(pool, identity, giveUpAt - performance.now())) {
      case "committed":
        return true;
      case "aborted":
        return false;
      case "lost track":
        throw new OutcomeUnknownError(cause);
      default:
        await delay(askAgainMs);
    }
  }
  throw new OutcomeUnknownError(cause);
}

// A backend that still holds the transaction has not received the COMMIT, or not yet: it is ended, and then asked about again.
async function askForStatus(pool: pg.Pool, { xid, life }: Identity, timeoutMs: number): Promise<string> {
  try {
    const question = `
      select case when (${selectLife}) = $2 then pg_xact_status($1::text::xid8) else 'lost track' end as status, ${confirm}`;
    const { rows } = await pool.query<{ status: string | null }>(within(timeoutMs, question, [xid, life]));
    const status = rows[0]?.status ?? "lost track";
    if (status === "in progress") await pool.query(endBackendOf, [xid]);
    return status;
  } catch (error) {
    // A number that was not given yet: the database was restored to an earlier time.
    return isConnectionLost(error) ? "not reached" : "lost track";
  }
}

/**
 * In the select list of a question what became of a transaction: its answer then comes only once what it rests on is as safe as
 * a commit that is answered. Where a standby must confirm commits, a transaction whose backend was ended while it waited for
 * that is committed on this server alone, and would be lost with it.
 */
export const confirm = "pg_logical_emit_message(true, 'gangway', 'asked what became of a transaction')";

/** A statement that is given up after this time, because no limit of the database's holds while it waits for a standby. */
export function within(timeoutMs: number, text: string, values: unknown[] = []): pg.QueryConfig {
  // Known to pg and not to its types.
  return Object.assign({ text, values }, { query_timeout: Math.max(1, Math.round(timeoutMs)) });
}

/** Of a backend in pg_stat_activity: it has committed and waits for a standby. Ending it would show what may yet be lost. */
export const waitsForStandby = "wait_event is not distinct from 'SyncRep'";

const endBackendOf = `
  select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
  where locktype = 'transactionid' and mode = 'ExclusiveLock' and granted and transactionid = $1::text::xid8::xid
    and not ${waitsForStandby}`;
