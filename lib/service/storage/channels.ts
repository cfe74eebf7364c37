import { and, eq, sql } from "drizzle-orm";
import { currentCell, schemaOf } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { type Db, locationOfCell } from "./database.ts";
import { sleepingWorkers } from "./schema.ts";

/** The channels that wake the service's workers. Triggers in the migrations name some of them too (channels.test.ts). */
export const channels = {
  deliveries: "service_deliveries",
  transfers: "service_transfers",
  settlementOrders: "service_settlement_orders",
  screenings: "service_screenings",
  messages: "service_messages",
  sandboxEvents: "service_sandbox_events",
  clientCells: "service_client_cells",
} as const;

export type Channel = (typeof channels)[keyof typeof channels];

/** Listens in the current cell's database, which other cells may share. */
export function listenOn(channel: Channel) {
  return { databaseUrl: serviceConfig().databaseDirectUrl, channel, ...locationOfCell() };
}

/** Listens only to the current cell: each notification carries the name of its schema. */
export function listenInCell(channel: Channel) {
  return { ...listenOn(channel), payload: schemaOf(currentCell()) };
}

/** Wakes this channel's workers of the current cell on commit. */
export async function notify(tx: Db, channel: Channel): Promise<void> {
  await tx.execute(sql`select pg_notify(${channel}, current_schema())`);
}

export type WorkerKey = { channel: string; workerId: string };

// Pad the wake time: a worker recorded as awake too early would miss its notification.
const marginMs = 50;

/** Records a worker's sleep. Triggers notify its channel of anything due before it wakes. */
export async function upsertSleepingWorker(db: Db, worker: WorkerKey & { sleepMs: number }): Promise<void> {
  const { channel, workerId, sleepMs } = worker;
  const wakesRealAt = sql`now() + make_interval(secs => ${(sleepMs + marginMs) / 1000}::float8)`;
  await db
    .insert(sleepingWorkers)
    .values({ channel, workerId, wakesRealAt })
    .onConflictDoUpdate({
      target: [sleepingWorkers.channel, sleepingWorkers.workerId],
      set: { wakesRealAt: sql`excluded.wakes_real_at` },
    })
    .returning(unsynced);
}

export async function markWorkerAwake(db: Db, worker: WorkerKey): Promise<void> {
  await db.update(sleepingWorkers).set({ wakesRealAt: sql`now()` }).where(isWorker(worker)).returning(unsynced);
}

export async function deleteSleepingWorker(db: Db, worker: WorkerKey): Promise<void> {
  await db.delete(sleepingWorkers).where(isWorker(worker));
}

/** A snapshot of the open transactions for `areTransactionsDone`; undefined if there are none. */
export async function snapshotTransactions(db: Db): Promise<string | undefined> {
  const { rows } = await db.execute<{ snapshot: string | null }>(sql`
    select nullif(pg_snapshot_xmax(s), pg_snapshot_xmin(s))::text as snapshot from pg_current_snapshot() s`);
  return rows[0]?.snapshot ?? undefined;
}

export async function areTransactionsDone(db: Db, snapshot: string): Promise<boolean> {
  const { rows } = await db.execute<{ areDone: boolean }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${snapshot}::text::xid8 as "areDone"`,
  );
  return rows[0]?.areDone === true;
}

// Safe to lose when the database crashes: workers then reconnect, poll, and record their sleep again.
const unsynced = { commit: sql`set_config('synchronous_commit', 'off', true)` };

const isWorker = ({ channel, workerId }: WorkerKey) =>
  and(eq(sleepingWorkers.channel, channel), eq(sleepingWorkers.workerId, workerId));
