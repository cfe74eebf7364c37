import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import pg from "pg";
import { afterEach, beforeAll, expect, inject, test } from "vitest";
import { startDatabaseProxy } from "../../../lab/crash/processes/database-proxy.ts";
import { migrateDatabase } from "../../kit/migrate-database.ts";
import { countMigrations } from "../../kit/migrations.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { startTransactionPooler } from "../../kit/testing/transaction-pooler.ts";
import { sampleMigrations, writeMigrations } from "../testing/sample-migrations.ts";

const routines = 600;
const filled = { labelled: routines, isRequired: true, added: 2, steps: 0, index: "valid" };

const readLog = logToFile();
const server = inject("postgresUrl");
const base = newName();
beforeAll(async () => {
  await onServer(`create database ${base} template template_of_tests`);
  const client = await connectTo(urlOf(base));
  // Only rows, without client and user.
  await client.query("set session_replication_role = replica");
  await client.query(
    `insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
     select gen_random_uuid(), 'a client', gen_random_uuid(), 'routine ' || n, 'active', 'a trace', now(), now()
     from generate_series(1, ${routines}) n`,
  );
  await client.end();
});

const endings: (() => unknown)[] = [];
const endAll = async () => {
  for (const end of endings.splice(0).reverse()) await end();
};
afterEach(endAll);

test.each(["before", "sent"] as const)(
  "a process killed at any statement (%s): the next start continues there with the same result",
  async (moment) => {
    const folder = folderWith(phases.slice(0, 2));
    const { url, query } = await createDatabase();
    const proxy = await startDatabaseProxy(() => url);
    endings.push(() => proxy.stop());
    let isCut = true;
    let question = 0;
    while (isCut) {
      question += 1;
      isCut = false;
      proxy.atQuestion(question, moment, (connection) => {
        isCut = true;
        connection.cut();
      });
      // Later kills come after the end.
      await migrateDatabase(proxy.through(url), folder).catch(() => undefined);
      await migrateDatabase(url, folder);
      expect(await stateOf(query), `${moment} question ${question}`).toEqual(filled);
      await query(undoSamples);
    }
    expect(question).toBeGreaterThan(60);
  },
  120_000,
);

const undoSamples = `
  alter table routines drop column label cascade;
  drop trigger copy_name on routines;
  drop function copy_routine_name;
  delete from drizzle.__drizzle_migrations where id > ${countMigrations("lib/service/storage/migrations")};
  drop table drizzle.migration_steps`;

test("a migration that waits for a lock blocks no one, and continues once it is free", async () => {
  const { url, connect, query } = await createDatabase();
  const reader = await connect();
  await reader.query("begin; select from routines limit 1");
  let isOver = false;
  const migrating = migrateDatabase(url, folderWith(phases.slice(0, 1))).then(() => {
    isOver = true;
  });
  const writer = await connect();
  await expect.poll(() => query(waitsForRoutines), { interval: 5 }).toHaveLength(1);
  // Behind the migration, which would wait for the reader forever.
  await writer.query("update routines set updated_at = now()");
  expect(isOver).toBe(false);
  await reader.query("commit");
  await migrating;
  expect(await stateOf(query)).toMatchObject({ added: 1 });
});

const waitsForRoutines = "select from pg_locks where relation = 'routines'::regclass and not granted";

test("a migration that waits too long names the transactions it waited for, and is rolled back", async () => {
  const { url, connect, query } = await createDatabase();
  const reader = await connect({ application_name: "the nightly report" });
  await reader.query("begin; select from routines limit 1; select pg_sleep(1.1)");
  await expect(migrateDatabase(url, folderWith(phases), { lockWaitMs: 300 })).rejects.toThrow(
    /^The migration 9001_expand-label of the database test_\w+ waited \d+ s for locks held by others and was not applied\. Longest open transactions: process \d+ \(the nightly report, idle in transaction\) with a transaction of \d+ s\. Nothing is lost; start again when they have ended\.$/,
  );
  expect(await stateOf(query)).toMatchObject({ added: 0, labelled: 0 });
});

test("a waiting migration of a plain owner names transactions only with pg_monitor, and says so without", async () => {
  const owner = newName();
  await onServer(`create role ${owner}`);
  endings.push(() => onServer(`drop role ${owner}`));
  const { url, connect, query } = await createDatabase();
  await query(`alter table routines owner to ${owner}; grant all on schema public, drizzle to ${owner};
    grant all on all tables in schema drizzle to ${owner}`);
  const reader = await connect({ application_name: "the nightly report" });
  await reader.query("begin; select from routines limit 1; select pg_sleep(1.1)");
  const migrate = () => migrateDatabase(url, folderWith(phases), { owner, lockWaitMs: 300 });
  await expect(migrate()).rejects.toThrow(
    "Longest open transactions: this role can't see other roles' sessions without pg_monitor. Nothing is lost;",
  );
  await query(`grant pg_monitor to ${owner}`);
  await expect(migrate()).rejects.toThrow(
    /Longest open transactions: process \d+ \(the nightly report, [^;]*\. Nothing/,
  );
});

test("a failing migration is named with its database, and earlier ones stay committed", async () => {
  const { url, query } = await createDatabase();
  const broken = "-- in steps: to fail\nSELECT 1;\n--> statement-breakpoint\nSELECT nonsense;\n";
  await expect(migrateDatabase(url, folderWith([...phases.slice(0, 1), ["9002_broken", broken]]))).rejects.toThrow(
    /^The migration 9002_broken of the database test_\w+ failed: column "nonsense" does not exist\. Of its steps 1 are committed; the next start continues after them\. /,
  );
  expect(await stateOf(query)).toMatchObject({ added: 1, steps: 1 });
});

test("a failing migration in one transaction is rolled back", async () => {
  const { url, query } = await createDatabase();
  const folder = folderWith([["9001_broken", "CREATE TABLE half ();\n--> statement-breakpoint\nSELECT nonsense;"]]);
  await expect(migrateDatabase(url, folder)).rejects.toThrow("It was rolled back.");
  expect(await query("select to_regclass('half') as found")).toEqual([{ found: null }]);
});

test("an index whose build failed is dropped and rebuilt at the next start", async () => {
  const { url, query } = await createDatabase();
  const unique = `-- in steps: an index\nCREATE UNIQUE INDEX CONCURRENTLY "routines_by_label" ON "routines" ("trace_id");\n`;
  const folder = folderWith([["9001_unique", unique]]);
  await expect(migrateDatabase(url, folder)).rejects.toThrow("could not create unique index");
  expect(await stateOf(query)).toMatchObject({ index: "none", added: 0 });

  // As after a lost connection, PostgreSQL leaves an invalid index.
  await query(unique).catch(() => undefined);
  expect(await stateOf(query)).toMatchObject({ index: "invalid" });
  await query("update routines set trace_id = id::text");
  await migrateDatabase(url, folder);
  expect(await stateOf(query)).toMatchObject({ index: "valid", added: 1 });
});

test("a process waiting for the migration lock blocks no index build, and an earlier version's process may go first", async () => {
  const { url, connect, query } = await createDatabase();
  const folder = folderWith(phases.slice(0, 2));
  const older = await connect();
  const holder = await connect();
  await holder.query("select pg_advisory_lock(4712018)");
  const waited = older.query("select pg_advisory_lock(4712018)").then(() => older.end());
  const both = [migrateDatabase(url, folder), migrateDatabase(url, folder)];
  await holder.query("select pg_advisory_unlock(4712018)");
  await Promise.all([...both, waited]);
  expect(await stateOf(query)).toEqual(filled);
  const done = readLog().flatMap(({ msg, database, migration }) =>
    msg === "migrated" && url.endsWith(`/${database}`) ? [migration] : [],
  );
  expect(done, "each migration is applied, and logged, once").toEqual(phases.slice(0, 2).map(([name]) => name));
});

test("an earlier version's process that starts during an index build goes first, and the index is rebuilt", async () => {
  const { url, connect, query } = await createDatabase();
  const index = '-- in steps: an index\nCREATE INDEX CONCURRENTLY "routines_by_label" ON "routines" ("trace_id");\n';
  const writer = await connect();
  await writer.query("begin; update routines set status = status where false");
  const migrating = migrateDatabase(url, folderWith([["9001_index", index]]));
  await expect.poll(() => query(waitsForOthers)).toHaveLength(1);
  const older = await connect();
  // The first to check for a deadlock gives up; it should be ours.
  await older.query("set deadlock_timeout = '1min'");
  const waited = older.query("select pg_advisory_lock(4712018)").then(() => older.end());
  await expect.poll(() => query(waitsForTurn)).toHaveLength(1);
  await writer.query("commit");
  await Promise.all([migrating, waited]);
  expect(await stateOf(query)).toMatchObject({ added: 1, index: "valid" });
});

const waitsForOthers = "select from pg_stat_activity where datname = current_database() and wait_event = 'virtualxid'";
const waitsForTurn = "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";

test("a process waiting for the migration lock logs it and gives up in the end; one with nothing to apply needs no lock", async () => {
  const { url, connect } = await createDatabase();
  const holder = await connect();
  await holder.query("select pg_advisory_lock(4712018)");
  await expect(migrateDatabase(url, folderWith(phases), { turnWaitMs: 300 })).rejects.toThrow(
    /^Another process has been migrating the database test_\w+ for \d+ s without progress\.$/,
  );
  // Once, although it tried again several times.
  const waits = readLog().filter(({ database }) => url.endsWith(`/${database}`));
  expect(waits).toMatchObject([{ level: 40, msg: "another process is migrating; waiting for it", waitedMs: 0 }]);
  await migrateDatabase(url, folderWith([]), { turnWaitMs: 0 });
});

test("time limits of the address or role don't apply to migrations", async () => {
  const { url, query } = await createDatabase();
  await query(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = 100`);
  const folder = folderWith([
    ["9001_long", "SELECT pg_sleep(0.5);"],
    ["9002_long-index", longIndex],
  ]);
  await migrateDatabase(`${url}?statement_timeout=100&query_timeout=100`, folder);
  expect(await stateOf(query)).toMatchObject({ added: 2, index: "valid" });
});

const longIndex = `-- in steps: an index
CREATE FUNCTION slowly(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.0005); RETURN $1; END';
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "routines_by_label" ON "routines" (slowly("name"));
`;

test.each([
  ["a transaction", "CREATE TABLE half ();"],
  ["steps", "-- in steps: so\nCREATE TABLE half ();"],
  ["an index built concurrently", '-- in steps: so\nCREATE INDEX CONCURRENTLY "half" ON "routines" ("name");'],
])(
  "behind a transaction pooler a migration is refused (%s), and then succeeds on a direct connection",
  async (_, text) => {
    const { url, query } = await createDatabase();
    const pooler = await startTransactionPooler(url, { sessions: 2 });
    endings.push(() => pooler.stop());
    const folder = folderWith([["9001_half", text]]);
    await expect(migrateDatabase(pooler.url, folder)).rejects.toThrow(
      /^The migration 9001_half of the database test_\w+ failed: the migration lock was lost: use PostgreSQL's own address, not a pooler's\./,
    );
    // The lock must be free, or this would give up.
    await migrateDatabase(url, folder, { turnWaitMs: 0 });
    expect(await stateOf(query)).toMatchObject({ added: 1 });
  },
);

test("behind a pooler no index is built without the migration lock, and its sessions keep their time limits", async () => {
  const { url, query } = await createDatabase();
  const limited = `${url}?options=${encodeURIComponent("-c statement_timeout=7s -c lock_timeout=3s")}`;
  const pooler = await startTransactionPooler(limited, { sessions: 3 });
  const folder = folderWith([
    ["9001_index", '-- in steps: so\nCREATE INDEX CONCURRENTLY "half" ON "routines" ("name");'],
  ]);
  await expect(migrateDatabase(pooler.url, folder)).rejects.toThrow("the migration lock was lost");
  expect(await query("select to_regclass('half') as found")).toEqual([{ found: null }]);
  const reader = await connectTo(pooler.url);
  for (const _ of [1, 2, 3]) {
    const { rows } = await reader.query(
      "select current_setting('statement_timeout') s, current_setting('lock_timeout') l",
    );
    expect(rows).toEqual([{ s: "7s", l: "3s" }]);
  }
  await reader.end();
  await pooler.stop();
});

test("two processes that share a pooled session never both hold the migration lock", async () => {
  const { url, query } = await createDatabase();
  const pooler = await startTransactionPooler(url, { sessions: 1 });
  endings.push(() => pooler.stop());
  const folder = folderWith(phases.slice(0, 2));
  await Promise.all([migrateDatabase(pooler.url, folder), migrateDatabase(pooler.url, folder)]);
  expect(await stateOf(query)).toEqual(filled);
});

const phases = Object.entries(sampleMigrations);

function folderWith(added: readonly (readonly [string, string])[]): string {
  const folder = writeMigrations(Object.fromEntries(added));
  endings.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A database with existing routines, `connect` for other users, and `query` for one statement. */
async function createDatabase() {
  const name = newName();
  await onServer(`create database ${name} template ${base}`);
  endings.push(() => onServer(`drop database ${name} with (force)`));
  const url = urlOf(name);
  const connect = async (options: pg.ClientConfig = {}) => {
    const client = await connectTo(url, options);
    endings.push(() => client.end());
    return client;
  };
  const connection = await connect();
  const query = async (statement: string) => (await connection.query(statement)).rows as Record<string, unknown>[];
  return { url, connect, query };
}

/** How far the sample migrations have been applied. */
async function stateOf(query: (statement: string) => Promise<Record<string, unknown>[]>) {
  const [found] = await query(`
    select (select count(*)::int from routines r where to_jsonb(r) ->> 'label' = name) as labelled,
      coalesce((select attnotnull from pg_attribute where attrelid = 'routines'::regclass and attname = 'label'), false) as "isRequired",
      (select count(*)::int from drizzle.__drizzle_migrations) as migrations,
      (select count(*)::int from drizzle.migration_steps) as steps,
      coalesce((select case when indisvalid then 'valid' else 'invalid' end from pg_index
        where indexrelid = to_regclass('routines_by_label')), 'none') as index`);
  const { migrations, ...rest } = found ?? {};
  return { ...rest, added: Number(migrations) - countMigrations("lib/service/storage/migrations") };
}

function newName(): string {
  return `test_${process.pid}_${randomBytes(6).toString("hex")}`;
}

function urlOf(name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function connectTo(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  await client.connect();
  return client;
}

async function onServer(statement: string): Promise<void> {
  const client = await connectTo(server);
  await client.query(statement);
  await client.end();
}
