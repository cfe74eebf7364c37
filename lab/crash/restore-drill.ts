import { randomBytes, randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { appendFile, chown, copyFile, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { reconcile } from "../../lib/service/operations/money/reconcile.ts";
import { chooseProviders } from "../../lib/service/providers.ts";
import { sandboxProviders } from "../../lib/service/sandbox/providers.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { type Cluster, freePort, startCluster } from "../../scripts/embedded-postgres.ts";
import { isAlive, listChildren, signalProcess } from "../../scripts/processes.ts";
import { runStatements } from "../../scripts/run-statements.ts";
import { processSettings } from "./harbor.ts";
import { type Booking, isSuccess } from "./history.ts";
import { sendBooking } from "./load.ts";
import { createRunClient, type RunClient } from "./people.ts";
import { startDatabaseProxy } from "./processes/database-proxy.ts";
import { type ServerProcess, serverProcess } from "./processes/server-process.ts";
import { type Reaper, startReaper } from "./processes/start-reaper.ts";
import { startWebhookReceiver } from "./receiver.ts";

/** The load time before the base backup, from there to the restore point, and from there to the loss. */
export type DrillOptions = { secondsEach: number; bookers: number; say: (sentence: string) => void };

/** A drill's result. Sound means nothing lost, nothing from after the restore point, no unknown bookings, and a clean ledger. */
export type DrillReport = {
  /** Bookings acknowledged before the restore point, and how many are missing or different. */
  acknowledgedBefore: number;
  lost: string[];
  /** Bookings sent after the restore point, and those present anyway. */
  sentAfter: number;
  fromAfter: string[];
  /** Bookings in flight at the restore point, which may or may not exist. */
  underWay: number;
  /** Restored bookings that were never requested. */
  strangers: string[];
  problems: string[];
  /** Whether a lost booking's retry and a new booking both succeed. */
  booksAgain: boolean;
  backup: { bytes: number; ms: number };
  archive: { files: number; bytes: number };
  /** From the start of PostgreSQL on the backup until it accepts writes, and until an API responds. */
  recoveryMs: number;
  servingMs: number;
};

const moment = "before the loss";

/**
 * Backs up a PostgreSQL under load (base backup and WAL archive), destroys it, restores it to a point in time, and
 * compares the data with the answers. Uses a temporary folder and free local ports, and cleans up at the end.
 */
export async function runRestoreDrill({ secondsEach, bookers, say }: DrillOptions): Promise<DrillReport> {
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), "gangway-restore-"));
  reaper.send({ folder });
  // Under root, PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  const folders = { archive: join(folder, "archive"), backup: join(folder, "backup"), folder };
  const stops: (() => unknown)[] = [];
  try {
    const primary = await startPrimary(folders, reaper);
    let current: Cluster = primary;
    const { stack, client } = await startService(() => current, { reaper, stops });
    const load = startBookings(client, stack.api, bookers);
    await keepBooking(load, secondsEach);

    say("Taking the base backup while bookings continue.");
    const backup = await takeBaseBackup(primary, folders.backup);
    await keepBooking(load, secondsEach);

    const begins = Date.now();
    const { rows } = await servicePool().query("select pg_create_restore_point($1) as lsn", [moment]);
    const ends = Date.now();
    say(`Created the restore point "${moment}".`);
    await keepBooking(load, secondsEach);
    await untilArchived(String(rows[0]?.lsn));

    say("Killing PostgreSQL, the API and the worker, and deleting the data folder.");
    load.stop();
    await Promise.all([stack.api.kill(), stack.worker.kill()]);
    await load.ended;
    await destroy(primary, join(folder, "primary", "data"), reaper);

    say("Restoring to that point.");
    const startedAt = performance.now();
    current = await restore(folders, reaper);
    await untilWritable();
    const recoveryMs = Math.round(performance.now() - startedAt);
    await Promise.all([stack.api.start(), stack.worker.start()]);
    const servingMs = Math.round(performance.now() - startedAt);

    const compared = await compare(load.bookings, { begins, ends });
    chooseProviders(sandboxProviders);
    const { problems } = await reconcile();
    const booksAgain = await bookAgain(load.bookings, { client, api: stack.api, after: ends });
    const files = readdirSync(folders.archive);
    const archive = {
      files: files.length,
      bytes: sum(files.map((file) => statSync(join(folders.archive, file)).size)),
    };
    return { ...compared, problems, booksAgain, backup, archive, recoveryMs, servingMs };
  } finally {
    for (const stop of stops.reverse()) await stop();
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Folders = { archive: string; backup: string; folder: string };

async function startPrimary({ archive, folder }: Folders, reaper: Reaper): Promise<Cluster> {
  mkdirSync(archive);
  const cluster = await startCluster(join(folder, "primary"), {
    archive_mode: "on",
    archive_command: archiveCommand(archive),
    // WAL is archived when full or this old, which bounds the loss.
    archive_timeout: "1",
  });
  reaper.send({ watch: cluster.pid });
  const { uid, gid } = statSync(join(folder, "primary", "data"));
  chownSync(archive, uid, gid);
  return cluster;
}

/** The documented archive_command, for this archive. */
export function archiveCommand(archive: string): string {
  const [, command] = /^ *archive_command = '(.*)'$/m.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
  if (!command) throw new Error("docs/operations.md has no archive_command.");
  return command.replaceAll("/archive", archive);
}

type Stack = { api: ServerProcess; worker: ServerProcess };

async function startService(
  current: () => Cluster,
  { reaper, stops }: { reaper: Reaper; stops: (() => unknown)[] },
): Promise<{ stack: Stack; client: RunClient }> {
  const database = `drill_${randomBytes(4).toString("hex")}`;
  await runStatements(current().url("postgres"), `create database ${database}`);
  const proxy = await startDatabaseProxy(() => current().url("postgres"));
  stops.push(() => proxy.stop());
  const url = `http://127.0.0.1:${await freePort()}`;
  const settings = processSettings({
    SERVICE_DATABASE_URL: proxy.through(current().url(database)),
    SERVICE_BASE_URL: url,
    SERVICE_AUTH_URL: url,
  });
  Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
  const api = serverProcess({ name: "drill-api", role: "service-api", url, settings, reaper });
  const worker = serverProcess({ name: "drill-worker", role: "service-worker", url, settings, reaper });
  stops.push(() => servicePool().end());
  stops.push(() => Promise.all([api.kill(), worker.kill()]));
  await api.start();
  await worker.start();
  const receiver = await startWebhookReceiver(() => undefined);
  stops.push(() => receiver.stop());
  const client = await createRunClient({ webhookUrl: receiver.url, sourceCount: 2, sellerCount: 3 });
  return { stack: { api, worker }, client };
}

type Bookings = { bookings: Booking[]; stop: () => void; ended: Promise<unknown> };

// Each booker books sequentially from alternating accounts.
function startBookings(client: RunClient, api: ServerProcess, bookers: number): Bookings {
  const bookings: Booking[] = [];
  let isStopping = false;
  const bookOn = async (booker: number) => {
    for (let count = 0; !isStopping; count++) {
      const booking: Booking = {
        kind: "booking",
        name: `drill-${booker}-${count}`,
        key: randomUUID(),
        amountCents: 1 + ((booker * 31 + count * 7) % 400),
        sourceId: client.sourceIds[count % client.sourceIds.length] ?? client.sourceIds[0],
        destinationId: client.walletIds[count % client.walletIds.length] ?? client.walletIds[0],
        attempts: [],
      };
      bookings.push(booking);
      const outcome = await sendBooking(booking, { client, api, patienceMs: 15_000 });
      if (!isSuccess(outcome)) await delay(50);
    }
  };
  const ended = Promise.all(Array.from({ length: bookers }, (_, booker) => bookOn(booker)));
  return {
    bookings,
    ended,
    stop: () => {
      isStopping = true;
    },
  };
}

// More than the bookers can have in flight.
const bookingsMin = 20;
const bookingMsMax = 60_000;

async function keepBooking({ bookings }: Bookings, seconds: number): Promise<void> {
  const enough = bookings.length + bookingsMin;
  const giveUpAt = performance.now() + bookingMsMax;
  await delay(seconds * 1000);
  for (; bookings.length < enough; await delay(50)) {
    if (performance.now() > giveUpAt) throw new Error("Too few bookings succeed, so the drill would prove nothing.");
  }
}

/** A file-level base backup between pg_backup_start and pg_backup_stop; WAL comes from the archive. */
async function takeBaseBackup(cluster: Cluster, backup: string): Promise<{ bytes: number; ms: number }> {
  const startedAt = performance.now();
  const client = new pg.Client({ connectionString: cluster.url("postgres") });
  await client.connect();
  try {
    const { rows } = await client.query("select current_setting('data_directory') as data");
    // Without a reload, so only the backup names a standby, which the restore must not wait for.
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query("select pg_backup_start('drill', true)");
    const bytes = await copyTree(String(rows[0]?.data), backup);
    const stopped = await client.query("select labelfile from pg_backup_stop()");
    await writeFile(join(backup, "backup_label"), String(stopped.rows[0]?.labelfile));
    return { bytes, ms: Math.round(performance.now() - startedAt) };
  } finally {
    await client.end();
  }
}

// Excluded as PostgreSQL documents: recreated or specific to the running server.
const emptied = /^(?:pg_wal|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|pg_replslot)$/;
const leftOut = /^(?:postmaster\.(?:pid|opts)|pgsql_tmp.*|pg_internal\.init.*)$/;

/** Copies a changing folder with file owners; skips files that disappear. */
async function copyTree(from: string, to: string, isTop = true): Promise<number> {
  const { uid, gid } = await stat(from);
  await mkdir(to, { mode: 0o700 });
  await chown(to, uid, gid);
  let bytes = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (leftOut.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (isTop && emptied.test(entry.name)) {
      await mkdir(target, { mode: 0o700 });
      await chown(target, uid, gid);
    } else if (entry.isDirectory()) bytes += await copyTree(source, target, false);
    else bytes += await copyOne(source, target, { uid, gid });
  }
  return bytes;
}

async function copyOne(from: string, to: string, { uid, gid }: { uid: number; gid: number }): Promise<number> {
  try {
    await copyFile(from, to);
    await chown(to, uid, gid);
    return (await stat(to)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}

async function untilArchived(lsn: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { rows } = await servicePool().query(
      "select last_archived_wal >= pg_walfile_name($1::pg_lsn) as done from pg_stat_archiver",
      [lsn],
    );
    if (rows[0]?.done) return;
    await delay(100);
  }
  throw new Error("PostgreSQL's WAL isn't being archived.");
}

async function destroy({ pid }: Cluster, data: string, reaper: Reaper): Promise<void> {
  signalProcess(pid, "SIGSTOP");
  const all = [pid, ...listChildren(pid)];
  for (const processId of all) signalProcess(processId, "SIGKILL");
  while (all.some(isAlive)) await delay(10);
  reaper.send({ forget: pid });
  rmSync(data, { recursive: true });
  if (existsSync(data)) throw new Error("The data folder still exists.");
}

async function restore({ archive, backup, folder }: Folders, reaper: Reaper): Promise<Cluster> {
  const home = join(folder, "restored");
  const data = join(home, "data");
  await mkdir(home);
  const { uid, gid } = await stat(backup);
  await copyFile(join(folder, "primary", "password"), join(home, "password"));
  await copyTree(backup, data, false);
  await writeFile(join(data, "recovery.signal"), "");
  await appendFile(
    join(data, "postgresql.auto.conf"),
    [
      `restore_command = 'cp ${archive}/%f %p'`,
      `recovery_target_name = '${moment}'`,
      "recovery_target_action = 'promote'",
      "synchronous_standby_names = ''",
      "",
    ].join("\n"),
  );
  for (const file of ["recovery.signal", "postgresql.auto.conf", "backup_label"])
    await chown(join(data, file), uid, gid);
  const cluster = await startCluster(home);
  reaper.send({ watch: cluster.pid });
  return cluster;
}

async function untilWritable(): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const recovering = await servicePool()
      .query("select pg_is_in_recovery() as recovering")
      .then(
        ({ rows }) => rows[0]?.recovering,
        () => true,
      );
    if (recovering === false) return;
    await delay(50);
  }
  throw new Error("The restored PostgreSQL didn't finish its recovery.");
}

type Found = { name: string; id: string; amountCents: string; transferId: string };

async function compare(bookings: Booking[], { begins, ends }: { begins: number; ends: number }) {
  const { rows } = await servicePool().query<Found>(
    `select r.name, r.id, t.amount_cents::text as "amountCents", t.id as "transferId"
     from routines r join transfers t on t.routine_id = r.id where r.name like 'drill-%'`,
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  const before = bookings.filter(
    ({ attempts: [first] }) => first && isSuccess(first.outcome) && first.endedAt < begins,
  );
  const after = bookings.filter(({ attempts: [first] }) => first && first.sentAt > ends);
  const ordered = new Set(bookings.map(({ name }) => name));
  return {
    acknowledgedBefore: before.length,
    lost: before.filter((booking) => !isAsAnswered(booking, found.get(booking.name))).map(({ name }) => name),
    sentAfter: after.length,
    fromAfter: after.filter(({ name }) => found.has(name)).map(({ name }) => name),
    underWay: bookings.length - before.length - after.length,
    strangers: rows.filter(({ name }) => !ordered.has(name)).map(({ name }) => name),
  };
}

function isAsAnswered({ amountCents, attempts: [first] }: Booking, row: Found | undefined): boolean {
  if (!row || !first || !isSuccess(first.outcome)) return false;
  const answered = JSON.parse(first.outcome.text) as { id: string; transfer_id: string };
  return row.id === answered.id && row.transferId === answered.transfer_id && row.amountCents === String(amountCents);
}

// A client that retries after the restore gets its booking exactly once.
async function bookAgain(
  bookings: Booking[],
  { client, api, after }: { client: RunClient; api: ServerProcess; after: number },
): Promise<boolean> {
  const lost = bookings.find(({ attempts: [first] }) => first && first.sentAt > after && isSuccess(first.outcome));
  if (!lost) return false;
  const fresh = { ...lost, name: "drill-new", key: randomUUID(), attempts: [] };
  const outcomes = [
    await sendBooking(lost, { client, api, patienceMs: 15_000 }),
    await sendBooking(lost, { client, api, patienceMs: 15_000 }),
    await sendBooking(fresh, { client, api, patienceMs: 15_000 }),
  ];
  const [retried, booked] = outcomes;
  const isOne = retried && booked && isSuccess(retried) && isSuccess(booked) && booked.isReplay && !retried.isReplay;
  return outcomes.every(isSuccess) && Boolean(isOne);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
