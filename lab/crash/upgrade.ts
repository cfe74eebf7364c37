import { fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { servicePool } from "../../lib/service/storage/database.ts";
import { checkHistory, type Findings } from "./check-history.ts";
import { isSuccess, type Operation } from "./history.ts";
import { startLoad } from "./load.ts";
import type { RunClient } from "./people.ts";
import { createProgress } from "./progress.ts";
import { startWebhookReceiver } from "./receiver.ts";
import { countOutcomes, settle } from "./run-crash.ts";
import { startCrashStack } from "./stack.ts";

/** The old checkout, and the load time before, during, and after the upgrade. */
export type UpgradeOptions = { folder: string; seed: number; secondsEach: number; say: (sentence: string) => void };

export type PhaseReport = {
  phase: string;
  seconds: number;
  requests: number;
  /** Answered 503 or 409, which is allowed. */
  deferred: number;
  /** Mostly deliberate one-second timeouts. */
  unanswered: number;
  medianMs: number;
  /** Of answered requests. */
  longestMs: number;
  /** The longest gap between bookings. */
  pauseMs: number;
};

/** An upgrade's result. Sound means no findings and no exits. */
export type UpgradeReport = {
  acknowledged: number;
  migrations: number;
  phases: PhaseReport[];
  findings: Findings;
  /** Unexpected exits, or non-zero exits after SIGTERM, each as a sentence. */
  endings: string[];
};

/**
 * Runs an earlier version under load, adds this version, which migrates, stops the old one, and compares the answers
 * with the data.
 */
export async function runUpgrade({ folder, seed, secondsEach, say }: UpgradeOptions): Promise<UpgradeReport> {
  const stack = await startCrashStack({ apis: 2, folder });
  try {
    const progress = createProgress();
    const receiver = await startWebhookReceiver(progress.noteWebhook);
    const clients = await createClients({ folder, count: 3, webhookUrl: receiver.url });
    const old = { apis: stack.apis, worker: stack.worker };
    const serving = [...old.apis];
    const namesOf = (apis: { name: string }[]) => apis.map(({ name }) => name);
    const before = await countJournal();
    const load = startLoad({ seed, clients, apis: serving, progress, hotBookers: 6, otherBookers: 2, creators: 1 });
    const begins = new Map<string, number>();
    const begin = (phase: string) => {
      say(`Now ${phase}.`);
      begins.set(phase, Date.now());
    };

    begin("only the old processes");
    await progress.serving(namesOf(old.apis), Date.now());
    await delay(secondsEach * 1000);

    begin("the new processes start and migrate");
    const next = await stack.startBeside({ folder: ".", name: "new" });
    const migrations = (await countJournal()) - before;

    begin("both versions");
    serving.push(...next.apis);
    await progress.serving(namesOf([...old.apis, ...next.apis]), Date.now());
    await delay(secondsEach * 1000);
    await progress.serving(namesOf([...old.apis, ...next.apis]), Date.now());

    begin("the old processes stop");
    for (const api of old.apis) {
      // Drained first, as behind a load balancer.
      serving.splice(serving.indexOf(api), 1);
      await api.stop();
    }
    await old.worker.stop();

    begin("only the new processes");
    await progress.serving(namesOf(next.apis), Date.now());
    await delay(secondsEach * 1000);
    await progress.serving(namesOf(next.apis), Date.now());

    begin("the end of the load");
    await load.stop();
    await settle({ awaitsLeases: true });
    const findings = await checkHistory(load, receiver.deliveries);
    await receiver.stop();
    return {
      acknowledged: countOutcomes(load.operations).acknowledged,
      migrations,
      phases: describePhases(load.operations, begins),
      findings,
      endings: [...old.apis, old.worker, ...next.apis, next.worker].flatMap(({ endings }) => endings),
    };
  } finally {
    await stack.stop();
  }
}

/** Request outcomes between these times (Unix ms). */
export function describePhases(operations: Operation[], begins: Map<string, number>): PhaseReport[] {
  const attempts = operations.flatMap((operation) => operation.attempts);
  const booked = operations
    .filter(({ kind }) => kind === "booking")
    .flatMap((booking) => booking.attempts.flatMap(({ outcome, endedAt }) => (isSuccess(outcome) ? [endedAt] : [])))
    .sort((left, right) => left - right);
  const phases = [...begins];
  return phases.slice(0, -1).map(([phase, begin], index) => {
    const end = phases[index + 1]?.[1] ?? begin;
    const sent = attempts.filter(({ sentAt }) => sentAt >= begin && sentAt < end);
    const answered = sent.flatMap(({ outcome, sentAt, endedAt }) =>
      outcome.kind === "answer" ? [{ status: outcome.status, ms: endedAt - sentAt }] : [],
    );
    const times = answered.map(({ ms }) => ms).sort((left, right) => left - right);
    return {
      phase,
      seconds: Math.round((end - begin) / 100) / 10,
      requests: sent.length,
      deferred: answered.filter(({ status }) => status === 503 || status === 409).length,
      unanswered: sent.length - answered.length,
      medianMs: times[Math.floor((times.length - 1) / 2)] ?? 0,
      longestMs: times.at(-1) ?? 0,
      pauseMs: longestGap([begin, ...booked.filter((at) => at >= begin && at < end), end]),
    };
  });
}

function longestGap(times: number[]): number {
  return Math.max(...times.map((time, index) => time - (times[index - 1] ?? time)));
}

async function countJournal(): Promise<number> {
  const { rows } = await servicePool().query<{ count: number }>(
    "select count(*)::int as count from drizzle.__drizzle_migrations",
  );
  return rows[0]?.count ?? 0;
}

function createClients(options: { folder: string; count: number; webhookUrl: string }): Promise<RunClient[]> {
  const child = fork(
    new URL("./processes/create-clients.ts", import.meta.url),
    [options.folder, String(options.count), options.webhookUrl],
    { cwd: options.folder, execArgv: [] },
  );
  return new Promise((resolve, reject) => {
    child.once("message", (clients) => resolve(clients as RunClient[]));
    child.once("exit", (code) =>
      reject(new Error(`The earlier version's lab/crash/people.ts didn't create the clients; it exited with ${code}.`)),
    );
  });
}
