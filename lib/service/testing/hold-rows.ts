import pg from "pg";
import { expect } from "vitest";
import { serviceConfig } from "../config.ts";
import { servicePool } from "../storage/database.ts";

/** Row locks that order the steps of a race. */
export type HeldRows = {
  /** Resolves once this many transactions wait for a lock. */
  waiters: (count: number) => Promise<void>;
  release: () => Promise<void>;
};

/** Runs a locking select in a transaction that stays open until released. `commit`: commits instead of rolling back. */
export async function holdRows(lockingSelect: string, values: unknown[], { commit = false } = {}): Promise<HeldRows> {
  // Separate connections, because waiting ones may use up the pool.
  const [holder, watcher] = [await connect(), await connect()];
  await holder.query("begin");
  await holder.query(lockingSelect, values);
  return {
    waiters: (count) => expect.poll(() => countWaiting(watcher), { interval: 5 }).toBeGreaterThanOrEqual(count),
    release: async () => {
      if (commit) await holder.query("commit");
      await Promise.all([holder.end(), watcher.end()]);
    },
  };
}

/** The ids of these rows that are not locked, in order. */
export async function listUnlocked(
  table: "users" | "accounts" | "screenings",
  ids: string[],
  key = "id",
): Promise<string[]> {
  const { rows } = await servicePool().query<{ id: string }>(
    `select ${key} as id from ${table} where ${key} = any ($1::uuid[]) order by ${key} for update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

async function connect(): Promise<pg.Client> {
  const connection = new pg.Client({ connectionString: serviceConfig().databaseUrl });
  await connection.connect();
  return connection;
}

async function countWaiting(watcher: pg.Client): Promise<number> {
  const { rows } = await watcher.query<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]?.n ?? 0;
}
