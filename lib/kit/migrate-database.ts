import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { isConnectionLost, isLockTimeout, isTransactionConflict } from "./database-errors.ts";
import { sentenceOf } from "./describe-error.ts";
import { log } from "./log.ts";
import {
  builtIndex,
  isOutsideTransactions,
  type Journal,
  journalOf,
  type Migration,
  readBatch,
  readMigrations,
} from "./migrations.ts";

/** Defaults are for production. */
export type MigrationOptions = {
  /** Created if missing. */
  schema?: string;
  /** Owns what the migrations create. By default, the address's user does. */
  owner?: string;
  /** How long to wait without progress while others hold locks, such as a long transaction. */
  lockWaitMs?: number;
  /** How long to wait while another process holds the migration lock and makes no progress. */
  turnWaitMs?: number;
};

/** Never change it: every version must use the same lock. */
export const migrationLock = 4_712_018;

// Waiting for a strong lock blocks all later statements, so give up quickly and retry. Must be shorter than the 250 ms
// that a set of bookings waits (docs/operations.md).
const lockTimeoutMs = 200;
const pauseMs = { first: 100, most: 3000 };
const logAgainMs = 10_000;

/**
 * Applies pending migrations to a live database. Concurrent callers take turns with an advisory lock, so the address must
 * not be a transaction pooler's. The next call resumes an interrupted migration. Throws a one-sentence error that names the
 * migration and says why it failed or what it waited for.
 */
export async function migrateDatabase(
  url: string,
  migrationsFolder: string,
  { schema = "public", owner, lockWaitMs = 120_000, turnWaitMs = 900_000 }: MigrationOptions = {},
): Promise<void> {
  const migrations = readMigrations(migrationsFolder);
  const client = await connect(url);
  const name = new URL(url).pathname.slice(1);
  const database = schema === "public" ? name : `${name} (schema ${schema})`;
  const journal = journalOf(schema);
  try {
    if (owner !== undefined) await client.query(`set role ${pg.escapeIdentifier(owner)}`);
    const isNew = (await listPending(client, journal, migrations)).length === migrations.length;
    const run: Run = { client, database, schema, journal, isNew, lockWaitMs, commits: 0 };
    let known = { progress: "", since: performance.now(), tries: 0, loggedAt: Number.NEGATIVE_INFINITY };
    for (;;) {
      const outcome = await applyNext(run, migrations);
      if (outcome.kind === "nothing left") return;
      const progress = `${outcome.left} ${run.commits}`;
      const now = performance.now();
      if (progress !== known.progress) known = { progress, since: now, tries: 0, loggedAt: known.loggedAt };
      if (outcome.kind === "progressed") continue;
      const waitedMs = Math.round(now - known.since);
      if (waitedMs > (outcome.kind === "not our turn" ? turnWaitMs : lockWaitMs))
        throw await giveUp(run, outcome, waitedMs);
      if (now - known.loggedAt > logAgainMs) {
        known.loggedAt = now;
        const { message, ...fields } = await describeWait(run, outcome);
        log().warn({ ...fields, waitedMs }, message);
      }
      await delay(pauseAfter(known.tries++));
    }
  } finally {
    await client.end();
  }
}

type Run = {
  client: pg.Client;
  /** For messages. */
  database: string;
  schema: string;
  journal: Journal;
  /** A new database needs no progress log. */
  isNew: boolean;
  lockWaitMs: number;
  /** Commits so far, to tell progress from waiting. */
  commits: number;
};
type Wait = { kind: "not our turn"; left: number } | { kind: "held up"; left: number; migration: string };
type Outcome = { kind: "nothing left" } | { kind: "progressed"; left: number } | Wait;

async function applyNext(run: Run, migrations: Migration[]): Promise<Outcome> {
  const { client, journal } = run;
  const [first, ...others] = await listPending(client, journal, migrations);
  // A process with nothing to apply doesn't need permission to change the schema.
  if (!first) return { kind: "nothing left" };
  // Try instead of wait: a waiting statement holds a snapshot, which blocks concurrent index builds.
  const session = await takeTurn(client);
  if (session === undefined) return { kind: "not our turn", left: others.length + 1 };
  try {
    await makeJournal(run);
    const [next, ...rest] = await listPending(client, journal, migrations);
    if (!next) return { kind: "nothing left" };
    try {
      const startedAt = performance.now();
      await (next.isInSteps ? runInSteps(run, next) : runAtOnce(run, next));
      run.commits += 1;
      const durationMs = Math.round(performance.now() - startedAt);
      if (!run.isNew) log().info({ database: run.database, migration: next.name, durationMs }, "migrated");
      return { kind: "progressed", left: rest.length };
    } catch (error) {
      if (!isLockTimeout(error) && !isTransactionConflict(error)) throw await describeFailure(run, next, error);
      return { kind: "held up", left: rest.length + 1, migration: next.name };
    }
  } finally {
    await releaseTurn(client, session).catch(() => undefined);
  }
}

/**
 * Takes the lock if it's free and returns the session that holds it. Checks first, because processes behind a pooler can
 * share a session, which could take the lock twice.
 */
async function takeTurn(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ session: number }>(
    `select pg_backend_pid() as session
     where case when exists (${turnOf("pg_backend_pid()")}) then false else pg_try_advisory_lock($1) end`,
    [migrationLock],
  );
  return rows[0]?.session;
}

const releaseRetries = { tries: 40, pauseMs: 50 };

/** Behind a pooler, the session that holds the lock may be unreachable, so it's terminated once idle. */
async function releaseTurn(client: pg.Client, session: number): Promise<void> {
  for (let tries = 0; tries < releaseRetries.tries; tries++) {
    const { rows } = await client.query<{ isOver: boolean }>(
      `select case when pid = pg_backend_pid() then pg_advisory_unlock($1)
         when state = 'idle' then pg_terminate_backend(pid) else false end as "isOver"
       from pg_stat_activity where pid = $2 and exists (${turnOf("$2")})`,
      [migrationLock, session],
    );
    if (rows[0]?.isOver !== false) return;
    await delay(releaseRetries.pauseMs);
  }
}

function turnOf(session: string): string {
  return `select from pg_locks where locktype = 'advisory' and pid = ${session} and objid::bigint = $1 and granted`;
}

/** Compares with the time of the newest applied migration, as drizzle does. */
async function listPending(client: pg.Client, { done }: Journal, migrations: Migration[]): Promise<Migration[]> {
  const newest = await client
    .query<{ newest: string | null }>(`select max(created_at)::text as newest from ${done}`)
    .then(
      ({ rows }) => rows[0]?.newest ?? null,
      (error: unknown) => {
        if (error instanceof pg.DatabaseError && error.code === undefinedTable) return null;
        throw error;
      },
    );
  return migrations.filter(({ madeAt }) => newest === null || madeAt > Number(newest));
}

const undefinedTable = "42P01";

async function createSchemas(client: pg.Client, schemas: string[]): Promise<void> {
  for (const schema of schemas) {
    // Even `if not exists` requires permission to create a schema.
    const { rows } = await client.query("select to_regnamespace(quote_ident($1)) as found", [schema]);
    if (rows[0]?.found) continue;
    await client.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`).catch((cause: unknown) => {
      throw new Error(`The schema ${schema} is missing and cannot be created: ${sentenceOf(cause)}. ${createFirst}`, {
        cause,
      });
    });
  }
}

const createFirst = "Run `npm run migrate` as the database's owner first.";

async function makeJournal({ client, schema, journal: { done, steps } }: Run): Promise<void> {
  const { rows } = await client.query("select to_regclass($1) as found", [steps]);
  if (rows[0]?.found) return;
  await createSchemas(client, ["drizzle", schema]);
  await client.query(`
    create table if not exists ${done} (id serial primary key, hash text not null, created_at bigint);
    create table if not exists ${steps} (
      made_at bigint not null, step int not null, is_done boolean not null, last_key text, primary key (made_at, step))`);
}

function runAtOnce(run: Run, migration: Migration): Promise<void> {
  return inTransaction(run, async () => {
    for (const statement of migration.statements) await run.client.query(statement);
    await recordMigration(run, migration);
  });
}

async function runInSteps(run: Run, migration: Migration): Promise<void> {
  for (const [step, statement] of migration.statements.entries()) {
    const stepId = { madeAt: migration.madeAt, step };
    if (await isStepDone(run, stepId)) continue;
    const batch = readBatch(statement);
    if (batch) await runInBatches(run, { ...batch, stepId, statement });
    else if (isOutsideTransactions(statement)) {
      await runOutsideTransactions(run, statement);
      await inTransaction(run, () => recordStep(run, stepId, { isDone: true }));
    } else {
      await inTransaction(run, async () => {
        await run.client.query(statement);
        await recordStep(run, stepId, { isDone: true });
      });
    }
    run.commits += 1;
  }
  await inTransaction(run, async () => {
    await recordMigration(run, migration);
    await run.client.query(`delete from ${run.journal.steps} where made_at = $1`, [migration.madeAt]);
  });
}

type StepId = { madeAt: number; step: number };

async function isStepDone({ client, journal }: Run, { madeAt, step }: StepId): Promise<boolean> {
  const found = await client.query(`select from ${journal.steps} where made_at = $1 and step = $2 and is_done`, [
    madeAt,
    step,
  ]);
  return found.rowCount === 1;
}

async function recordStep(
  { client, journal }: Run,
  { madeAt, step }: StepId,
  { isDone, lastKey }: { isDone: boolean; lastKey?: string | undefined },
): Promise<void> {
  await client.query(
    `insert into ${journal.steps} (made_at, step, is_done, last_key) values ($1, $2, $3, $4)
     on conflict (made_at, step) do update set is_done = excluded.is_done, last_key = excluded.last_key`,
    [madeAt, step, isDone, lastKey ?? null],
  );
}

async function recordMigration({ client, journal }: Run, { hash, madeAt }: Migration): Promise<void> {
  await client.query(`insert into ${journal.done} (hash, created_at) values ($1, $2)`, [hash, madeAt]);
}

async function inTransaction<T>({ client, schema }: Run, work: () => Promise<T>): Promise<T> {
  await client.query(
    `begin; set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0; set local ${pathTo(schema)}`,
  );
  try {
    await requireTurn(client);
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

// Functions store this path (`set search_path from current`), so never use the default, which anyone can extend.
function pathTo(schema: string): string {
  return `search_path to ${pg.escapeIdentifier(schema)}, pg_temp`;
}

// Behind a transaction pooler, the lock may belong to another session now.
async function requireTurn(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(turnOf("pg_backend_pid()"), [migrationLock]);
  if (rowCount !== 1) {
    throw new Error("the migration lock was lost: use PostgreSQL's own address, not a pooler's");
  }
}

type Batches = NonNullable<ReturnType<typeof readBatch>> & { stepId: StepId; statement: string };

async function runInBatches(run: Run, { size, table, key, stepId, statement }: Batches): Promise<void> {
  const [column, from] = [pg.escapeIdentifier(key), pg.escapeIdentifier(table)];
  for (let isOver = false; !isOver; ) {
    const startedAt = performance.now();
    isOver = await inTransaction(run, async () => {
      const last = await findLastKey(run, stepId);
      const { rows } = await run.client.query<{ key: string }>(
        `select ${column}::text as key from ${from} ${last === null ? "" : `where ${column} > $1`}
         order by ${from}.${column} limit ${size}`,
        last === null ? [] : [last],
      );
      const lastKey = rows.at(-1)?.key;
      if (lastKey !== undefined) await run.client.query(statement, [rows.map((row) => row.key)]);
      await recordStep(run, stepId, { isDone: rows.length < size, lastKey });
      return rows.length < size;
    });
    run.commits += 1;
    // Pause for as long as the batch took, so that the migration uses at most half of the database's time.
    if (!isOver) await delay(Math.min(performance.now() - startedAt, 1000));
  }
}

async function findLastKey({ client, journal }: Run, { madeAt, step }: StepId): Promise<string | null> {
  const { rows } = await client.query<{ last: string | null }>(
    `select last_key as last from ${journal.steps} where made_at = $1 and step = $2`,
    [madeAt, step],
  );
  return rows[0]?.last ?? null;
}

// These statements block neither reads nor writes, so they can wait for autovacuum and older transactions.
async function runOutsideTransactions({ client, schema, lockWaitMs }: Run, statement: string): Promise<void> {
  const index = builtIndex(statement);
  await requireTurn(client);
  await client.query(`set lock_timeout = ${lockWaitMs}; set statement_timeout = 0; set ${pathTo(schema)}`);
  try {
    const state = index === undefined ? "none" : await findIndex(client, index);
    if (index !== undefined && state === "invalid") await dropIndex(client, index);
    if (state === "valid") return;
    await client.query(statement);
  } catch (error) {
    // The remains of a failed build slow down every write and serve no query.
    if (index !== undefined && !isConnectionLost(error) && (await findIndex(client, index)) === "invalid") {
      await dropIndex(client, index).catch(() => undefined);
    }
    throw error;
  } finally {
    await client.query("reset lock_timeout; reset statement_timeout; reset search_path").catch(() => undefined);
  }
}

async function findIndex(client: pg.Client, index: string): Promise<"none" | "valid" | "invalid"> {
  const { rows } = await client.query<{ valid: boolean }>(
    "select indisvalid as valid from pg_index where indexrelid = to_regclass(quote_ident($1))",
    [index],
  );
  if (!rows[0]) return "none";
  return rows[0].valid ? "valid" : "invalid";
}

async function dropIndex(client: pg.Client, index: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(index)}`);
}

async function describeFailure(run: Run, { name, isInSteps, madeAt }: Migration, cause: unknown): Promise<Error> {
  const problem = `The migration ${name} of the database ${run.database} failed: ${sentenceOf(cause)}.`;
  if (isConnectionLost(cause)) return new Error(`${problem} The next start continues where it stopped.`, { cause });
  const done = isInSteps
    ? await run.client.query(`select from ${run.journal.steps} where made_at = $1 and is_done`, [madeAt])
    : undefined;
  const state = done?.rowCount
    ? `Of its steps ${done.rowCount} are committed; the next start continues after them.`
    : "It was rolled back.";
  return new Error(
    `${problem} ${state} Earlier migrations are committed, and processes of the previous version keep working.`,
    {
      cause,
    },
  );
}

async function describeWait(run: Run, wait: Wait): Promise<{ message: string; database: string; others?: string[] }> {
  const { database } = run;
  return wait.kind === "not our turn"
    ? { message: "another process is migrating; waiting for it", database }
    : { message: `the migration ${wait.migration} waits for locks`, database, others: await listOthers(run.client) };
}

async function giveUp({ client, database }: Run, wait: Wait, waitedMs: number): Promise<Error> {
  const seconds = Math.round(waitedMs / 1000);
  if (wait.kind === "not our turn") {
    return new Error(`Another process has been migrating the database ${database} for ${seconds} s without progress.`);
  }
  const others = await listOthers(client);
  return new Error(
    `The migration ${wait.migration} of the database ${database} waited ${seconds} s for locks held by others and was not applied. ` +
      `Longest open transactions: ${others.join("; ") || "none anymore"}. Nothing is lost; start again when they have ended.`,
  );
}

// Not the statements' text, which may contain personal data.
async function listOthers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ other: string }>(`
    (select format('process %s (%s, %s) with a transaction of %s s', pid, coalesce(nullif(application_name, ''), usename),
      state, extract(epoch from now() - xact_start)::int) as other
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and now() - xact_start > interval '1 second'
    order by xact_start limit 3)
    union all select 'this role can''t see other roles'' sessions without pg_monitor'
    where not pg_has_role(current_user, 'pg_read_all_stats', 'usage')`);
  return rows.map(({ other }) => other);
}

function pauseAfter(tries: number): number {
  return Math.min(pauseMs.first * 2 ** tries, pauseMs.most) * (0.5 + Math.random() / 2);
}

const requestLimits = ["lock_timeout", "statement_timeout", "query_timeout", "idle_in_transaction_session_timeout"];

/** A database's address without its timeouts, which are meant for requests. */
export function withoutLimits(url: string): URL {
  const address = new URL(url);
  for (const limit of requestLimits) address.searchParams.delete(limit);
  return address;
}

// At startup, a wrong or missing database is the most likely mistake, and the driver's error doesn't name it.
async function connect(url: string): Promise<pg.Client> {
  const address = withoutLimits(url);
  const client = new pg.Client({
    connectionString: address.href,
    connectionTimeoutMillis: 5000,
    // Without a time limit, only this notices that the server is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: "gangway migrations",
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (cause) {
    const problem = `The database ${address.pathname.slice(1)} at ${address.host} cannot be used: ${sentenceOf(cause)}.`;
    throw new Error(`${problem} Start the database or correct its address.`, { cause });
  }
}
