import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isDatabaseUnavailable } from "../../../lib/kit/database-errors.ts";
import { OutcomeUnknownError } from "../../../lib/kit/transaction.ts";
import { cellsOf, firstCell, inCell } from "../../../lib/service/cells.ts";
import { chooseProviders } from "../../../lib/service/providers.ts";
import { sandboxProviders } from "../../../lib/service/sandbox/providers.ts";
import { listCellNodes, moveCell } from "../../../lib/service/storage/cell-nodes.ts";
import { followClientCells } from "../../../lib/service/storage/client-cells.ts";
import { servicePool } from "../../../lib/service/storage/database.ts";
import { migrateCells, withClient } from "../../../lib/service/storage/migrate-cells.ts";
import { createTestClient } from "../../../lib/service/testing/clients.ts";
import { findLedgerProblems } from "../../../lib/service/testing/ledger-problems.ts";
import { bookTestRoutine, fundTestBusiness, insertTestSeller } from "../../../lib/service/testing/routines.ts";
import { startServiceWorkers } from "../../../lib/service/workers/start-workers.ts";
import { processSettings } from "../harbor.ts";
import { startReaper } from "../processes/start-reaper.ts";
import { type CellServer, hostsOfServer, startCellServers } from "./cell-servers.ts";

// A cell moves between PostgreSQL servers under load, nothing acknowledged is lost, and an interrupted move can be retried.
// The tests depend on their order. `npm run drill:nodes` moves many cells, with separate processes.

const database = "gangway_service";
const cells = cellsOf(2);
const owner = `cell_owner_${process.pid}`;
const role = `cell_role_${process.pid}`;
const patience = { timeout: 120_000 };
const reaper = startReaper();
let url = "";
let home: CellServer;
let other: CellServer;
const endings: { stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-cells-"));
  chmodSync(folder, 0o711);
  reaper.send({ folder });
  [home, other] = await startCellServers({ folder, programs: undefined, database, reaper });
  url = home.url(database);
  const settings = { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_DIRECT_URL: "", SERVICE_CELLS: "2" };
  Object.assign(process.env, processSettings(settings), { LOG_LEVEL: "silent" });
  chooseProviders(sandboxProviders);
  for (const server of [home, other]) {
    await on(server, `create role ${owner} login password '${new URL(url).password}'; create role ${role}`);
  }
  await on(home, `alter database ${database} owner to ${owner}`);
  const ownerUrl = new URL(url);
  ownerUrl.username = owner;
  await migrateCells(ownerUrl.href, cells);
  await on(home, `grant select on cell_2.entries to ${role}`);
  endings.push(await followClientCells(), startServiceWorkers());
});
afterAll(async () => {
  for (const ending of endings) await ending.stop();
  for (const cell of cells) await inCell(cell, () => servicePool().end());
  await reaper.finish();
});

async function on<Row extends pg.QueryResultRow>(server: CellServer, statement: string): Promise<Row[]> {
  return withClient(server.url(database), async (client) => (await client.query<Row>(statement)).rows);
}

const move = (to: CellServer) => moveCell({ url, cell: 2, to: hostsOfServer(to), cells });
const nodes = () => withClient(url, (client) => listCellNodes(client, url, cells));

/** What a move could leave behind on a server. */
async function traces(server: CellServer): Promise<string[]> {
  const rows = await on<{ name: string }>(
    server,
    `select nspname as name from pg_namespace where nspname like 'cell%'
     union all select relname from pg_class where relkind = 'r' and relname like '%of_cell%'
     union all select slot_name from pg_replication_slots union all select pubname from pg_publication
     union all select subname from pg_subscription order by 1`,
  );
  return rows.map(({ name }) => name);
}

const served = ["cell_2", "migrations_of_cell_2", "steps_of_cell_2"];

/** Who owns the cell's schema and its journal, and everything in them. */
async function owners(server: CellServer): Promise<string[]> {
  const rows = await on<{ name: string }>(
    server,
    `with schemas as (select oid, nspowner from pg_namespace where nspname in ('cell_2', 'drizzle'))
     select distinct pg_get_userbyid(owner) as name from (
       select nspowner from schemas
       union all select relowner from pg_class where relnamespace in (select oid from schemas)
       union all select proowner from pg_proc where pronamespace in (select oid from schemas)
     ) objects (owner)`,
  );
  return rows.map(({ name }) => name);
}

/** Makes bookings in cell 2, one after another; resolves after the first ones. */
async function startBooker() {
  let isStopped = false;
  const booked: string[] = [];
  const failures: unknown[] = [];
  const run = inCell(2, async () => {
    const client = await createTestClient();
    const business = await fundTestBusiness(client, [10_000_000]);
    const { walletId: destinationId } = await insertTestSeller(client);
    const [sourceId = ""] = business.accountIds;
    while (!isStopped) {
      try {
        const outcome = await bookTestRoutine(business, { sourceId, destinationId, amountCents: 100 });
        if (outcome.kind === "created") booked.push(outcome.routine.id);
        else failures.push(outcome);
      } catch (error) {
        if (!isDatabaseUnavailable(error) && !(error instanceof OutcomeUnknownError)) failures.push(error);
        await delay(20);
      }
    }
  });
  run.catch((error: unknown) => failures.push(error));
  const books = async () => {
    const before = booked.length;
    await expect.poll(() => [...failures, booked.length > before + 5], { timeout: 30_000 }).toEqual([true]);
  };
  await books();
  return {
    /** Resolves after more bookings. */
    books,
    /** Expects no errors but unavailability, and every acknowledged booking stored and settled. */
    stop: async () => {
      isStopped = true;
      await run;
      expect(failures).toEqual([]);
      await inCell(2, async () => {
        const { rowCount } = await servicePool().query("select from routines where id = any ($1::uuid[])", [booked]);
        expect(rowCount).toBe(booked.length);
        const pending = "select from transfers where status = 'pending'";
        await expect.poll(async () => (await servicePool().query(pending)).rowCount).toBe(0);
        expect(await findLedgerProblems()).toEqual([]);
      });
    },
  };
}

test(
  "a cell moves under load with its rows, owner, grants and monthly partitions, and leaves nothing behind",
  patience,
  async () => {
    await inCell(2, async () => {
      await servicePool().query("select divide_by_month('deliveries', now() - interval '2 months')");
      const { clientId } = await createTestClient();
      const event = "insert into sandbox_events (client_id, kind, event, joins) values ($1, 'test', '{}', '{}')";
      await servicePool().query(event, [clientId]);
    });
    const booker = await startBooker();
    const months =
      "select relname from pg_class where relname like 'deliveries_2%' and relkind = 'r' order by 1 limit 1";
    const oldest = await on(home, months);
    expect((await move(other)).closedMs).toBeGreaterThan(0);
    expect(await traces(home)).toEqual([]);
    expect(await traces(other)).toEqual(served);
    expect(await on(other, months)).toEqual(oldest);
    expect(await owners(other)).toEqual([owner]);
    const mayRead = `select has_table_privilege('${role}', 'cell_2.entries', 'select') as may`;
    expect(await on(other, mayRead)).toEqual([{ may: true }]);
    expect(await on(other, "select is_called from cell_2.sandbox_events_sequence_seq")).toEqual([{ is_called: true }]);
    expect(await nodes()).toEqual([
      { hosts: hostsOfServer(home), cells: [1], unfinished: [] },
      { hosts: hostsOfServer(other), cells: [2], unfinished: [] },
    ]);
    await booker.books();
    await booker.stop();
  },
);

const endConnections = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'cell_2'";

test("a moved cell stays available without the first cell's server, even for new connections", patience, async () => {
  const booker = await startBooker();
  await home.kill();
  await on(other, endConnections);
  await booker.books();
  await home.start();
  await booker.stop();
});

test("a cell that an interrupted move left closed accepts nothing until the move is retried", patience, async () => {
  const booker = await startBooker();
  await on(home, "update cell_nodes set other_hosts = '' where cell = 2");
  await on(other, "comment on schema cell_2 is 'moving'");
  await on(other, endConnections);
  await inCell(2, () => expect(servicePool().query("select 1")).rejects.toThrow("the schema cell_2 isn't served at"));
  expect((await nodes()).map(({ unfinished }) => unfinished)).toEqual([[], [2]]);
  await expect(move(other)).rejects.toThrow(`Cell 2 is already on ${hostsOfServer(other)}.`);
  await booker.books();
  await booker.stop();
});

test("a move interrupted while copying can be retried", patience, async () => {
  const booker = await startBooker();
  const moving = move(home);
  moving.catch(() => {});
  await expect.poll(() => on(home, "select subname from pg_subscription")).toHaveLength(1);
  await other.kill();
  await expect(moving).rejects.toThrow("The move failed");
  await other.start();
  await booker.books();
  await move(home);
  expect(await traces(home)).toEqual(served);
  expect(await traces(other)).toEqual([]);
  await booker.books();
  await booker.stop();
});

/** Makes a command fail on a server with "not today" while the SQL condition holds. Returns how to allow it again. */
async function refuseCommand(server: CellServer, tag: "COMMENT" | "DROP SCHEMA", condition = "true") {
  await on(
    server,
    `create sequence tries; create function refuse() returns event_trigger language plpgsql as
     $$begin if ${condition} then raise 'not today'; end if; end$$;
     create event trigger refusing on ddl_command_start when tag in ('${tag}') execute function refuse()`,
  );
  return () => on(server, "drop event trigger refusing; drop function refuse(); drop sequence tries");
}

test("a move whose old copy can't be deleted is reported as made, and the next one deletes it", patience, async () => {
  const allow = await refuseCommand(home, "DROP SCHEMA");
  await expect(move(other)).rejects.toThrow(
    `Cell 2 moved to ${hostsOfServer(other)}, but cleaning up failed: not today. Repeat the command to finish it.`,
  );
  await allow();
  await expect(move(other)).rejects.toThrow(`Cell 2 is already on ${hostsOfServer(other)}.`);
  expect(await traces(home)).toEqual([]);
});

test("a move that fails only once the cell has moved is finished and reported as made", patience, async () => {
  const booker = await startBooker();
  // A sequence counts although its transaction is rolled back, so only the first try to open the cell fails.
  const allow = await refuseCommand(home, "COMMENT", "current_query() like '%is null' and nextval('public.tries') = 1");
  expect(await move(home)).toMatchObject({ from: hostsOfServer(other) });
  expect(await on(home, "select last_value::int as tries from tries")).toEqual([{ tries: 2 }]);
  await allow();
  await booker.books();
  await booker.stop();
  expect(await traces(other)).toEqual([]);
});

test("a move doesn't wait for a connection that doesn't end", patience, async () => {
  const booker = await startBooker();
  await withClient(home.url(database), async (stuck) => {
    await stuck.query("set application_name = 'cell_2'");
    const { rows } = await stuck.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    try {
      await expect(move(other)).rejects.toThrow("The move failed: 1 of the cell's connections don't end.");
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });
  await booker.books();
  await booker.stop();
});

test("an impossible move is refused with its reason", patience, async () => {
  const refused = (cell: number, to: string) => expect(moveCell({ url, cell, to, cells })).rejects;
  const to = hostsOfServer(other);
  await refused(3, to).toThrow("There is no cell 3: SERVICE_CELLS is 2.");
  await refused(firstCell, to).toThrow("Cell 1 can't move");
  await refused(2, "127.0.0.1:1").toThrow("ECONNREFUSED");
  await refused(2, hostsOfServer(home)).toThrow("Cell 2 is already on");
  await on(other, `alter role ${owner} rename to renamed`);
  await refused(2, to).toThrow(`the other node has no role ${owner}`);
  await on(other, `alter role renamed rename to ${owner}; create schema cell_2`);
  await refused(2, to).toThrow("already has a schema cell_2");
  expect((await nodes()).map(({ unfinished }) => unfinished)).toEqual([[]]);
});
