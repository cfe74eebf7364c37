import { and, eq, sql } from "drizzle-orm";
import type { Db } from "./database.ts";
import { sleepingWorkers } from "./schema.ts";

/** A worker of one process, by the channel on which it is woken. */
export type WorkerKey = { channel: string; workerId: string };

// A worker is never awake before it is said to be.
const marginMs = 50;

/** Says that a worker sleeps for so many milliseconds from now. Triggers notify its channel of what is due before. */
export async function upsertSleepingWorker(db: Db, worker: WorkerKey & { sleepMs: number }): Promise<void> {
  const { channel, workerId, sleepMs } = worker;
  const wakesRealAt = sql`now() + make_interval(secs => ${(sleepMs + marginMs) / 1000}::float8)`;
  await db
    .insert(sleepingWorkers)
    .values({ channel, workerId, wakesRealAt })
    .onConflictDoUpdate({ target: [sleepingWorkers.channel, sleepingWorkers.workerId], set: { wakesRealAt } });
}

/** Says that a worker is awake. */
export async function raiseWorker(db: Db, worker: WorkerKey): Promise<void> {
  await db.update(sleepingWorkers).set({ wakesRealAt: sql`now()` }).where(isWorker(worker));
}

/** Forgets a worker. */
export async function deleteSleepingWorker(db: Db, worker: WorkerKey): Promise<void> {
  await db.delete(sleepingWorkers).where(isWorker(worker));
}

/**
 * A mark for `haveEnded`: every transaction that has written something by now stands before it. Undefined when none of them is
 * under way any more.
 */
export async function markTransactions(db: Db): Promise<string | undefined> {
  const { rows } = await db.execute<{ mark: string | null }>(sql`
    select nullif(pg_snapshot_xmax(s), pg_snapshot_xmin(s))::text as mark from pg_current_snapshot() s`);
  return rows[0]?.mark ?? undefined;
}

/** Whether every transaction before the mark has ended. */
export async function haveEnded(db: Db, mark: string): Promise<boolean> {
  const { rows } = await db.execute<{ haveEnded: boolean }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${mark}::text::xid8 as "haveEnded"`,
  );
  return rows[0]?.haveEnded === true;
}

const isWorker = ({ channel, workerId }: WorkerKey) =>
  and(eq(sleepingWorkers.channel, channel), eq(sleepingWorkers.workerId, workerId));
