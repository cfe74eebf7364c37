import pg from "pg";
import { expect, inject } from "vitest";
import { serviceConfig } from "../config.ts";
import { servicePool } from "../storage/database.ts";

export type WaitingCommits = { release: () => Promise<void> };

// Of the database "postgres", so that one test file at a time changes cluster settings.
const changingTheCluster = 7_003_419;

/**
 * Makes each commit wait, with its locks, for a standby that doesn't exist, on connections with `synchronous_commit`,
 * which is off in the test cluster.
 */
export async function blockCommits(): Promise<WaitingCommits> {
  const cluster = new pg.Client({ connectionString: inject("postgresUrl") });
  await cluster.connect();
  await cluster.query("select pg_advisory_lock($1)", [changingTheCluster]);
  const waitForStandby = async (name: string) => {
    await cluster.query(`alter system set synchronous_standby_names = '${name}'`);
    await cluster.query("select pg_reload_conf()");
    await expect.poll(() => standbyOf(cluster)).toBe(name);
  };
  await waitForStandby("nobody");
  await awaitFirstWait(cluster);
  let released: Promise<void> | undefined;
  return {
    release: () => {
      released ??= waitForStandby("").then(() => cluster.end());
      return released;
    },
  };
}

// A commit waits only if its transaction wrote to the log: a transaction id or a notification alone doesn't.
const logMessage = "pg_logical_emit_message(true, '', '')";

// Backends read the setting at once, but commits wait only from when the checkpointer has read it too, which nothing shows.
async function awaitFirstWait(cluster: pg.Client): Promise<void> {
  const probe = new pg.Client({ connectionString: waitingUrl(inject("postgresUrl")) });
  probe.on("error", () => {});
  await probe.connect();
  const { rows } = await probe.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = rows[0]?.pid;
  let isProbing = true;
  const probing = (async () => {
    while (isProbing) await probe.query(`select ${logMessage}`);
  })().catch(() => {});
  await expect
    .poll(async () => {
      const waiting = await cluster.query("select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'", [
        pid,
      ]);
      return waiting.rowCount;
    })
    .toBe(1);
  isProbing = false;
  await cluster.query("select pg_terminate_backend($1)", [pid]);
  await probing;
  await probe.end();
}

/** The address for connections whose commits can be made to wait. */
export function waitingUrl(url = serviceConfig().databaseUrl): string {
  return `${url}?options=-c%20synchronous_commit%3Don`;
}

export async function countWaitingCommits(): Promise<number> {
  const { rows } = await servicePool().query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where ${isWaiting}`,
  );
  return rows[0]?.n ?? 0;
}

export async function endWaitingCommits(): Promise<void> {
  await servicePool().query(`select pg_terminate_backend(pid) from pg_stat_activity where ${isWaiting}`);
}

const isWaiting = "wait_event = 'SyncRep' and datname = current_database()";

/** Holds the lock that every notifying commit needs, as a slow disk would, until released. */
export async function holdNotifications(): Promise<WaitingCommits> {
  const commits = await blockCommits();
  const holder = new pg.Client({ connectionString: serviceConfig().databaseUrl });
  await holder.connect();
  const committed = holder.query(`begin; set local synchronous_commit = on;
    select ${logMessage}, pg_notify('unused', ''); commit`);
  await expect.poll(countWaitingCommits).toBe(1);
  return {
    release: async () => {
      await commits.release();
      await committed;
      await holder.end();
    },
  };
}

async function standbyOf(connection: pg.Client): Promise<string> {
  const { rows } = await connection.query<{ name: string }>(
    "select current_setting('synchronous_standby_names') as name",
  );
  return rows[0]?.name ?? "";
}
