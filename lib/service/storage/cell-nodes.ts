import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { hostsOf, withHosts } from "../../kit/database-address.ts";
import { isLockTimeout } from "../../kit/database-errors.ts";
import { sentenceOf } from "../../kit/describe-error.ts";
import { migrateDatabase, migrationLock } from "../../kit/migrate-database.ts";
import { journalOf } from "../../kit/migrations.ts";
import { closedSchema, writableAddress } from "../../kit/postgres.ts";
import { type Cell, firstCell, schemaOf } from "../cells.ts";
import { channels } from "./channels.ts";
import { cellsMoved } from "./client-cells.ts";
import { migrationsFolder } from "./database.ts";
import { requireMigratedCells, withClient } from "./migrate-cells.ts";

// Moves cells between nodes: PostgreSQL servers with the same database, users and passwords. See docs/scaling.md.

/** A node and its cells. `unfinished`: cells whose move from or to another node was interrupted. */
export type CellNode = { hosts: string; cells: Cell[]; unfinished: Cell[] };

type Location = { hosts: string; otherHosts: string | null };

/** Lists `cells`, and any other cell that the directory names. `home` is the database at `url`, the first cell's. */
export async function listCellNodes(home: pg.Client, url: string, cells: readonly Cell[]): Promise<CellNode[]> {
  const { rows } = await home.query<{ cell: Cell } & Location>(
    `select cell, coalesce(hosts, '') as hosts, other_hosts as "otherHosts"
     from (select unnest($1::int[]) as cell union select cell from public.client_cells
           union select cell from public.cell_nodes) known left join public.cell_nodes using (cell) order by cell`,
    [cells],
  );
  return [...Map.groupBy(rows, ({ hosts }) => hosts)].map(([hosts, hostRows]) => ({
    hosts: hosts || hostsOf(url),
    cells: hostRows.map(({ cell }) => cell),
    unfinished: hostRows.filter(({ otherHosts }) => otherHosts !== null).map(({ cell }) => cell),
  }));
}

export type Move = { url: string; cell: Cell; to: string; cells: readonly Cell[] };

/**
 * Moves a cell with its clients to another node while the service runs: copies it, catches up by logical replication, then
 * closes it until the other node has everything. Returns the node it was on and how long it was closed. Throws a sentence
 * if it can't. First cleans up after an interrupted move.
 */
export async function moveCell({ url, cell, to, cells }: Move): Promise<{ from: string; closedMs: number }> {
  if (!cells.includes(cell)) throw new Error(`There is no cell ${cell}: SERVICE_CELLS is ${cells.length}.`);
  if (cell === firstCell) throw new Error("Cell 1 can't move: its database has the directory of clients and cells.");
  await requireMigratedCells(url, [cell]);
  const toHosts = to === hostsOf(url) ? "" : to;
  return withNode(url, "", async (home) => {
    await takeLock(home, moveLock, "Another cell is being moved: wait for that move to finish.");
    await tidy(home, url, cell);
    const { hosts } = await readLocation(home, cell);
    if (hosts === toHosts) throw new Error(`Cell ${cell} is already on ${to}.`);
    const from = hosts || hostsOf(url);
    let closedMs: number;
    try {
      closedMs = await withNode(url, hosts, (source) =>
        withNode(url, toHosts, (target) => copyAndSwitch({ home, source, target, cell, url, hosts, toHosts })),
      );
    } catch (error) {
      const isTidy = await tidy(home, url, cell).then(
        () => true,
        () => false,
      );
      const advice = isTidy
        ? ""
        : ` Run it again once both nodes are reachable; until then, cell ${cell} may be closed.`;
      throw new Error(`The move failed: ${sentenceOf(error)}.${advice}`, { cause: error });
    }
    await tidy(home, url, cell).catch((cause: unknown) => {
      const sentence = `Cell ${cell} moved to ${to}, but cleaning up failed: ${sentenceOf(cause)}.`;
      throw new Error(`${sentence} Repeat the command to finish it.`, { cause });
    });
    return { from, closedMs };
  });
}

async function withNode<T>(url: string, hosts: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(await writableAddress(addressAt(url, hosts)), work);
}

function addressAt(url: string, hosts: string): string {
  return hosts === "" ? url : withHosts(url, hosts);
}

const moveLock = 4_712_020;

/** A session lock. Waits a moment, because a session that has ended may still hold it. */
async function takeLock(node: pg.Client, lock: number, refusal: string): Promise<void> {
  await node.query("set lock_timeout = '5s'");
  await node.query("select pg_advisory_lock($1)", [lock]).catch((cause: unknown) => {
    throw isLockTimeout(cause) ? new Error(refusal, { cause }) : cause;
  });
  await node.query("reset lock_timeout");
}

async function readLocation(home: pg.Client, cell: Cell): Promise<Location> {
  const { rows } = await home.query<Location>(
    `select hosts, other_hosts as "otherHosts" from public.cell_nodes where cell = $1`,
    [cell],
  );
  return rows[0] ?? { hosts: "", otherHosts: null };
}

async function recordLocation(home: pg.Client, cell: Cell, { hosts, otherHosts }: Location): Promise<void> {
  await home.query(
    `insert into public.cell_nodes (cell, hosts, other_hosts) values ($1, $2, $3)
     on conflict (cell) do update set hosts = excluded.hosts, other_hosts = excluded.other_hosts`,
    [cell, hosts, otherHosts],
  );
  await home.query("select pg_notify($1, $2)", [channels.clientCells, cellsMoved]);
}

type MoveContext = {
  home: pg.Client;
  source: pg.Client;
  target: pg.Client;
  cell: Cell;
  url: string;
  hosts: string;
  toHosts: string;
};

async function copyAndSwitch({ home, source, target, cell, url, hosts, toHosts }: MoveContext): Promise<number> {
  const schema = schemaOf(cell);
  await requireNodes(source, target, schema);
  const owner = await readOwner(home, target);
  await recordLocation(home, cell, { hosts, otherHosts: toHosts });
  // Keeps out migrations: their changes aren't replicated.
  await takeLock(source, migrationLock, "a migration is running");
  await prepareTarget({ source, target, schema, owner, address: await writableAddress(addressAt(url, toHosts)) });
  await startCopy({ source, target, schema, address: await writableAddress(addressAt(url, hosts)) });
  await waitForCopy(source, target, schema);

  const closedAt = performance.now();
  await close(source, schema);
  await waitForReplay(source, schema, { waitMs: 30_000 });
  await copySequences(source, target, schema);
  // From now on, the cell is on the target.
  await recordLocation(home, cell, { hosts: toHosts, otherHosts: hosts });
  // If this fails, tidying up opens the cell.
  await target.query(`comment on schema ${schema} is null`).catch(() => undefined);
  return performance.now() - closedAt;
}

async function requireNodes(source: pg.Client, target: pg.Client, schema: string): Promise<void> {
  const identity = `select system_identifier || ' ' || current_database() as name from pg_control_system()`;
  const [one, two] = await Promise.all([source, target].map((node) => node.query<{ name: string }>(identity)));
  if (one?.rows[0]?.name === two?.rows[0]?.name) throw new Error("both addresses are the same database");
  const { rows } = await source.query<{ level: string }>("select current_setting('wal_level') as level");
  if (rows[0]?.level !== "logical") throw new Error(`its node has wal_level = ${rows[0]?.level}; set it to logical`);
  const { rowCount } = await target.query("select where to_regnamespace($1) is not null", [schema]);
  if (rowCount)
    throw new Error(`the other node already has a schema ${schema}, which isn't from a move: drop it there`);
}

/** The role that owns the first cell, and so migrates all cells. */
async function readOwner(home: pg.Client, target: pg.Client): Promise<string> {
  const { rows } = await home.query<{ owner: string }>(
    "select pg_get_userbyid(relowner) as owner from pg_class where oid = 'public.entries'::regclass",
  );
  const owner = rows[0]?.owner ?? "";
  const { rowCount } = await target.query("select from pg_roles where rolname = $1", [owner]);
  if (!rowCount) throw new Error(`the other node has no role ${owner}: create it there first`);
  return owner;
}

type TargetPreparation = { source: pg.Client; target: pg.Client; schema: string; address: string };

async function prepareTarget({
  source,
  target,
  schema,
  owner,
  address,
}: TargetPreparation & { owner: string }): Promise<void> {
  const name = pg.escapeIdentifier(owner);
  await target.query(
    `begin; create schema ${schema} authorization ${name}; comment on schema ${schema} is '${closedSchema}';
     create schema if not exists drizzle; alter schema drizzle owner to ${name}; commit`,
  );
  await migrateDatabase(address, migrationsFolder, { schema, owner });
  const newest = `select max(created_at)::text as newest from ${journalOf(schema).done}`;
  const [here, there] = await Promise.all([source, target].map((node) => node.query<{ newest: string }>(newest)));
  if (here?.rows[0]?.newest !== there?.rows[0]?.newest) {
    throw new Error("the cell isn't at this version: run `npm run migrate -- service` first");
  }
  await divideMonths(source, target, schema);
  for (const role of await listRoles(source, schema, owner)) await target.query(grantsFor(role, schema));
}

// So that the target can drop old rows by the month too.
async function divideMonths(source: pg.Client, target: pg.Client, schema: string): Promise<void> {
  for (const table of ["deliveries", "delivery_attempts"]) {
    const { rows } = await source.query<{ first: Date | null }>(
      `select ${schema}.time_of_id(min(beyond::text)::uuid) - interval '2 days' as first from ${schema}.months_of($1)`,
      [`${schema}.${table}`],
    );
    const first = rows[0]?.first;
    if (!first) continue;
    const divide = `select ${schema}.divide_by_month($1, $2) as did`;
    await target.query(divide, [`${schema}.${table}`, first]);
    for (let did: unknown = ""; did !== null; ) {
      did = (await target.query(divide, [`${schema}.${table}`, new Date()])).rows[0]?.did ?? null;
    }
  }
}

async function listRoles(source: pg.Client, schema: string, owner: string): Promise<string[]> {
  const { rows } = await source.query<{ role: string }>(
    `select distinct rolname as role from pg_class, aclexplode(relacl) join pg_roles r on r.oid = grantee
     where pg_class.oid = $1::regclass and grantee <> relowner and rolname <> $2`,
    [`${schema}.entries`, owner],
  );
  return rows.map(({ role }) => role);
}

/** The grants as psql reads them. */
function grantsFor(role: string, schema: string): string {
  return readFileSync("deploy/service-grants.sql", "utf8")
    .replaceAll(/^\\.*$/gm, "")
    .replaceAll(':"role"', pg.escapeIdentifier(role))
    .replaceAll(':"schema"', schema);
}

const replicationOf = (schema: string) => `plainbook_${schema}`;

async function startCopy({ source, target, schema, address }: TargetPreparation): Promise<void> {
  const name = replicationOf(schema);
  const { rows } = await source.query<{ tables: string }>(
    `select string_agg(oid::regclass::text, ', ') as tables from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p') and relpersistence = 'p' and not relispartition`,
    [schema],
  );
  await source.query(
    `create publication ${name} for table ${rows[0]?.tables} with (publish_via_partition_root = true)`,
  );
  await source.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [name]);
  const connection = pg.escapeLiteral(libpqAddress(address));
  await target.query(
    `create subscription ${name} connection ${connection} publication ${name} with (create_slot = false)`,
  );
}

/** Removes the options that only node-postgres understands. */
function libpqAddress(address: string): string {
  const url = new URL(address);
  for (const name of [...url.searchParams.keys()]) if (!name.startsWith("ssl")) url.searchParams.delete(name);
  url.searchParams.set("connect_timeout", "10");
  return url.href;
}

const copyErrorsMax = 5;

async function waitForCopy(source: pg.Client, target: pg.Client, schema: string): Promise<void> {
  const name = replicationOf(schema);
  for (;;) {
    const { rows } = await target.query<{ left: number; errors: number }>(
      `select (select count(*)::int from pg_subscription_rel where srsubid = s.oid and srsubstate <> 'r') as left,
         (apply_error_count + sync_error_count)::int as errors
       from pg_subscription s join pg_stat_subscription_stats on subid = s.oid where s.subname = $1`,
      [name],
    );
    if (rows[0]?.left === 0) break;
    if ((rows[0]?.errors ?? 0) > copyErrorsMax) throw new Error("copying keeps failing: see PostgreSQL's logs");
    await delay(100);
    // Throws if the source's server is gone.
    await source.query("select");
  }
  // Autovacuum would take a minute, and plans without statistics are bad.
  await target.query(`set search_path to ${schema}`);
  const { rows: tables } = await target.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition`,
    [schema],
  );
  for (const table of tables) await target.query(`analyze ${table.name}`);
  await waitForReplay(source, schema, { waitMs: 600_000 });
}

/** Waits until the target has everything that the source has committed so far. */
async function waitForReplay(source: pg.Client, schema: string, { waitMs }: { waitMs: number }): Promise<void> {
  const { rows } = await source.query<{ lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn");
  for (const giveUpAt = performance.now() + waitMs; performance.now() < giveUpAt; await delay(10)) {
    const { rowCount } = await source.query(
      "select from pg_replication_slots where slot_name = $1 and confirmed_flush_lsn >= $2::pg_lsn",
      [replicationOf(schema), rows[0]?.lsn],
    );
    if (rowCount) return;
  }
  throw new Error(`the other node was not up to date within ${waitMs / 1000} s`);
}

const endingMs = 10_000;

/** Once this returns, no connection can write to the cell. */
async function close(source: pg.Client, schema: string): Promise<void> {
  await source.query(`comment on schema ${schema} is '${closedSchema}'`);
  // From now on, new connections find it closed.
  const { rows } = await source.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
       and (application_name = $1 or pid in (
         select l.pid from pg_locks l join pg_class c on c.oid = l.relation
         where l.database = (select oid from pg_database where datname = current_database())
           and c.relnamespace = $1::regnamespace))`,
    [schema],
  );
  const left = "select from pg_stat_activity where pid = any ($1::int[])";
  for (const giveUpAt = performance.now() + endingMs; ; await delay(5)) {
    const { rowCount } = await source.query(left, [rows.map(({ pid }) => pid)]);
    if (!rowCount) break;
    if (performance.now() > giveUpAt) throw new Error(`${rowCount} of the cell's connections don't end`);
  }
  // Keeps out connections that don't check, such as psql's.
  await source.query(`alter schema ${schema} rename to ${movedName(schema)}`);
}

const movedName = (schema: string) => `${schema}_moved`;

async function copySequences(source: pg.Client, target: pg.Client, schema: string): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = $1::regnamespace and relkind = 'S'",
    [movedName(schema)],
  );
  for (const { name } of rows) {
    const { rows: values } = await source.query(`select last_value, is_called from ${movedName(schema)}.${name}`);
    const { last_value: last, is_called: isCalled } = values[0];
    await target.query("select setval($1::regclass, $2, $3)", [`${schema}.${name}`, last, isCalled]);
  }
}

/** Run after every move, successful or not: opens the cell where the directory says it is, and deletes what's elsewhere. */
async function tidy(home: pg.Client, url: string, cell: Cell): Promise<void> {
  const { hosts, otherHosts } = await readLocation(home, cell);
  if (otherHosts === null) return;
  const schema = schemaOf(cell);
  await withNode(url, hosts, async (here) => {
    await reopen(here, schema);
    await dropSubscription(here, schema);
    await dropPublication(here, schema);
  });
  await withNode(url, otherHosts, async (there) => {
    await dropSubscription(there, schema);
    await dropPublication(there, schema);
    await dropCopies(there, schema);
  });
  await recordLocation(home, cell, { hosts, otherHosts: null });
}

async function reopen(node: pg.Client, schema: string): Promise<void> {
  const { rows } = await node.query<{ isMoved: boolean }>('select to_regnamespace($1) is null as "isMoved"', [schema]);
  if (rows[0]?.isMoved) await node.query(`alter schema ${movedName(schema)} rename to ${schema}`);
  await node.query(`comment on schema ${schema} is null`);
}

async function dropSubscription(node: pg.Client, schema: string): Promise<void> {
  const name = replicationOf(schema);
  const { rowCount } = await node.query(
    "select from pg_subscription where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())",
    [name],
  );
  if (!rowCount) return;
  await node.query(`alter subscription ${name} disable`);
  await node.query(`alter subscription ${name} set (slot_name = none)`);
  await node.query(`drop subscription ${name}`);
}

const dropTries = 50;

async function dropPublication(node: pg.Client, schema: string): Promise<void> {
  const name = replicationOf(schema);
  await node.query(`drop publication if exists ${name}`);
  for (let tries = 1; ; tries++) {
    // A WAL sender may hold the slot for a moment after its receiver is gone.
    const slot = "pg_replication_slots where slot_name = $1 and database = current_database()";
    await node.query(`select pg_terminate_backend(active_pid, 1000) from ${slot} and active_pid is not null`, [name]);
    try {
      await node.query(`select pg_drop_replication_slot(slot_name) from ${slot}`, [name]);
      return;
    } catch (error) {
      if (tries === dropTries) throw error;
      await delay(100);
    }
  }
}

async function dropCopies(node: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await node.query("select where obj_description(to_regnamespace($1), 'pg_namespace') = $2", [
    schema,
    closedSchema,
  ]);
  await node.query(`drop schema if exists ${movedName(schema)} cascade`);
  if (rowCount) await node.query(`drop schema ${schema} cascade`);
  const { done, steps } = journalOf(schema);
  const { rows } = await node.query<{ isGone: boolean }>(`select to_regnamespace($1) is null as "isGone"`, [schema]);
  if (rows[0]?.isGone) await node.query(`drop table if exists ${done}, ${steps}`);
}
