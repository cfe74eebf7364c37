import { rmSync } from "node:fs";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrateDatabase } from "../../lib/kit/migrate-database.ts";
import { serviceConfig } from "../../lib/service/config.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { sampleMigrations, writeMigrations } from "../../lib/service/testing/sample-migrations.ts";
import { checkHistory } from "./check-history.ts";
import { type CrashRun, settle, startCrashRun } from "./run-crash.ts";
import { nothingFound, repeatWith, testSeed } from "./testing.ts";
import { describePhases } from "./upgrade.ts";

// `npm run drill:upgrade` tests two code versions with the repository's history. This tests the current processes through a
// phased migration, and shows that a blocking one stalls them.

let run: CrashRun;
beforeEach(async () => {
  run = await startCrashRun({ apis: 2, clientCount: 2 });
});
afterEach(() => run.stop());

test("a column added, filled, required, indexed, and dropped under load with a long reader blocks and loses nothing", async () => {
  const seed = testSeed();
  const { progress, receiver, stack } = run;
  const apis = stack.apis.map(({ name }) => name);
  const phases = Object.entries(sampleMigrations);
  await addRoutines(5000);
  const load = run.startLoad({ seed, hotBookers: 6, otherBookers: 2, creators: 1 });
  await progress.serving(apis, Date.now());
  const begins = new Map([["before", Date.now()]]);
  await progress.bookings(100);

  begins.set("sound migrations", Date.now());
  // Like a backup: an open transaction that has read the table.
  const reader = await connect();
  await reader.query("begin isolation level repeatable read; select from routines limit 1");
  const added = watch(migrate(phases.slice(0, 1)));
  await untilMigrationWaitsFor("relation");
  await progress.bookings(100);
  expect(added.isOver()).toBe(false);
  await reader.query("commit");
  await added.end;

  // The index build waits for older transactions, but blocks nothing.
  const filled = watch(migrate(phases.slice(0, 2)));
  await reader.query("begin isolation level repeatable read; select 1");
  await untilMigrationWaitsFor("virtualxid");
  await progress.bookings(100);
  expect(filled.isOver()).toBe(false);
  await reader.query("commit");
  await filled.end;
  const { rows } = await servicePool().query("select count(*)::int as left from routines where label <> name");
  expect(rows).toEqual([{ left: 0 }]);
  await migrate(phases);
  await progress.serving(apis, Date.now());

  begins.set("a migration that blocks", Date.now());
  const blocking =
    'ALTER TABLE "routines" ADD COLUMN "blocked" text;\n--> statement-breakpoint\nSELECT pg_sleep(1.5);\n';
  await migrate([...phases, ["9005_blocking", blocking]]);
  begins.set("after", Date.now());
  await progress.serving(apis, Date.now());
  await load.stop();
  begins.set("end", Date.now());
  await reader.end();
  await removeRoutines();
  await settle({ awaitsLeases: false });

  const reports = describePhases(load.operations, begins);
  for (const { phase, requests, deferred, medianMs, longestMs, pauseMs } of reports) {
    const times = `median ${medianMs} ms, longest ${longestMs} ms, ${pauseMs} ms at most without a booking`;
    process.stderr.write(`${phase}: ${requests} requests, ${deferred} deferred, ${times}\n`);
  }
  expect(await checkHistory(load, receiver.deliveries), repeatWith(seed)).toEqual(nothingFound);
  expect([...stack.apis, stack.worker].flatMap(({ endings }) => endings)).toEqual([]);
  // The load would notice: nothing is booked while the table is locked.
  expect(reports.find(({ phase }) => phase === "a migration that blocks")?.pauseMs).toBeGreaterThan(1400);
});

/** Migrates the run's database like the next version, with these extra migrations. */
async function migrate(added: [string, string][]): Promise<void> {
  const folder = writeMigrations(Object.fromEntries(added));
  try {
    await migrateDatabase(serviceConfig().databaseUrl, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function watch(end: Promise<void>): { end: Promise<void>; isOver: () => boolean } {
  let isOver = false;
  const watched = end.finally(() => {
    isOver = true;
  });
  return { end: watched, isOver: () => isOver };
}

async function untilMigrationWaitsFor(event: string): Promise<void> {
  const waiting = "select from pg_stat_activity where application_name = 'gangway migrations' and wait_event = $1";
  await expect.poll(async () => (await servicePool().query(waiting, [event])).rowCount, { interval: 5 }).toBe(1);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: serviceConfig().databaseUrl });
  await client.connect();
  return client;
}

// Makes the table large. The rows have no client, so triggers are skipped.
async function addRoutines(count: number): Promise<void> {
  await withoutTriggers(`
    insert into routines (id, client_id, user_id, name, status, trace_id, created_at, updated_at)
    select gen_random_uuid(), 'no-client', gen_random_uuid(), 'no-client''s ' || n, 'active', 'none', now(), now()
    from generate_series(1, ${count}) n`);
}

async function removeRoutines(): Promise<void> {
  await withoutTriggers("delete from routines where client_id = 'no-client'");
}

async function withoutTriggers(statement: string): Promise<void> {
  const client = await connect();
  await client.query("set session_replication_role = replica");
  await client.query(statement);
  await client.end();
}
