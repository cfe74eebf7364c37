import { channels } from "../../lib/service/storage/channels.ts";
import { servicePool } from "../../lib/service/storage/database.ts";
import { checkHistory, type Findings } from "./check-history.ts";
import { describeFault, type Fault, planFaults, strike } from "./faults.ts";
import { acknowledgmentOf, type Operation } from "./history.ts";
import { type Load, type LoadOptions, startLoad } from "./load.ts";
import { createRunClient, type RunClient } from "./people.ts";
import { createProgress, type Progress } from "./progress.ts";
import { randomFrom } from "./random.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./receiver.ts";
import { type CrashStack, startCrashStack } from "./stack.ts";

export type CrashReport = {
  seed: number;
  rounds: { fault: string; recoveryMs: number }[];
  acknowledged: number;
  unanswered: number;
  failed: number;
  findings: Findings;
  /** Unexpected exits, each as a sentence. */
  endings: string[];
};

export type CrashRun = {
  stack: CrashStack;
  clients: RunClient[];
  progress: Progress;
  receiver: WebhookReceiver;
  startLoad: (options: Pick<LoadOptions, "seed" | "hotBookers" | "otherBookers" | "creators">) => Load;
  stop: () => Promise<void>;
};

/** Starts a stack, a webhook receiver, and clients with this many accounts each. */
export async function startCrashRun({ apis = 2, clientCount = 3, sourceCount = 1 } = {}): Promise<CrashRun> {
  const stack = await startCrashStack({ apis, folder: "." });
  try {
    const progress = createProgress();
    const receiver = await startWebhookReceiver(progress.noteWebhook);
    const clients: RunClient[] = [];
    for (let index = 0; index < clientCount; index++) {
      clients.push(await createRunClient({ webhookUrl: receiver.url, sourceCount, sellerCount: 1 }));
    }
    return {
      stack,
      clients,
      progress,
      receiver,
      startLoad: (options) => startLoad({ ...options, clients, apis: stack.apis, progress }),
      stop: async () => {
        await stack.stop();
        await receiver.stop();
      },
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/**
 * One fault per round under load, each after recovery from the last; then compares everything. `say` reports progress.
 * Without `awaitsLeases`, the leases of killed senders are expired instead of waiting 30 s.
 */
export async function runCrash({
  seed,
  rounds,
  awaitsLeases,
  say,
}: {
  seed: number;
  rounds: number;
  awaitsLeases: boolean;
  say: (sentence: string) => void;
}): Promise<CrashReport> {
  const run = await startCrashRun();
  try {
    const { stack, progress, receiver } = run;
    const random = randomFrom(seed, "faults");
    const apis = stack.apis.map(({ name }) => name);
    const load = run.startLoad({ seed, hotBookers: 6, otherBookers: 2, creators: 1 });
    const done: CrashReport["rounds"] = [];
    await progress.serving(apis, Date.now());
    for (const fault of planFaults(random, { rounds, apis: apis.length })) {
      await progress.bookings(random.integer(20, 60));
      const recoveryMs = await strikeAndRecover(fault, run);
      done.push({ fault: describeFault(fault), recoveryMs });
      say(`${done.length} of ${rounds}: ${describeFault(fault)}; serving again after ${recoveryMs} ms`);
    }
    await load.stop();
    await settle({ awaitsLeases });
    return {
      seed,
      rounds: done,
      ...countOutcomes(load.operations),
      findings: await checkHistory(load, receiver.deliveries),
      endings: [...stack.apis, stack.worker].flatMap(({ endings }) => endings),
    };
  } finally {
    await run.stop();
  }
}

async function strikeAndRecover(fault: Fault, { stack, progress }: CrashRun): Promise<number> {
  const since = await strike(fault, stack);
  return progress.serving(
    stack.apis.map(({ name }) => name),
    since,
  );
}

export function countOutcomes(operations: Operation[]) {
  const outcomes = operations.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome));
  return {
    acknowledged: operations.filter(acknowledgmentOf).length,
    unanswered: outcomes.filter(({ kind }) => kind === "none").length,
    failed: outcomes.filter((outcome) => outcome.kind === "answer" && outcome.status >= 400).length,
  };
}

const pollMs = 200;
// A third attempt comes after 5 minutes, like the slowest probes (D14), plus 10%. A fourth isn't waited for.
const retryWithin = "6 minutes";
const settleMsMax = 15 * 60_000;

/**
 * Waits until the workers are idle, with a timeout because lost work never finishes; the findings show what is left.
 * With `awaitsLeases`, retry delays don't count: a webhook that failed twice is due after 5 minutes.
 */
export async function settle({
  awaitsLeases,
  idleMsMax = 90_000,
}: {
  awaitsLeases: boolean;
  idleMsMax?: number;
}): Promise<void> {
  const endsAt = Date.now() + settleMsMax;
  let giveUpAt = Date.now() + idleMsMax;
  while (Date.now() < Math.min(giveUpAt, endsAt)) {
    if (!awaitsLeases) await endOldLeases();
    const { left, retryMs } = await readLeft();
    if (left === 0) return;
    if (awaitsLeases && retryMs > 0) giveUpAt = Math.max(giveUpAt, Date.now() + retryMs + idleMsMax);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The amount of unfinished work, and the milliseconds until its last retry. */
async function readLeft(): Promise<{ left: number; retryMs: number }> {
  const { rows } = await servicePool().query<{ left: number; retryMs: number }>(`
    with retry as (
      select next_attempt_real_at as at from deliveries where status = 'pending'
      union all select probe_real_at from webhook_endpoints where has_waiting
    )
    select (select count(*) from transfers where status = 'pending' and due_real_at is not null)::int
      + (select count(*) from screenings)::int + (select count(*) from deliveries where status = 'pending')::int as left,
      coalesce(extract(epoch from (select max(at) from retry where at < now() + interval '${retryWithin}') - now()) * 1000, 0)::float8
        as "retryMs"`);
  return rows[0] ?? { left: 0, retryMs: 0 };
}

// Simulates 30 s since the holder was killed. Live processes hold leases only briefly.
async function endOldLeases(): Promise<void> {
  await servicePool().query(`
    with ended as (
      update deliveries set leased_until_real_at = now()
      where status = 'pending' and leased_until_real_at between now() and now() + interval '27 seconds' returning id
    )
    select pg_notify('${channels.deliveries}', '') from ended limit 1`);
}
