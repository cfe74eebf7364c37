import { resolveRoutines } from "../routines/resolve-routines.ts";
import { database } from "../storage/database.ts";
import { secondsUntilNextReceipt } from "../storage/webhook-receipts.ts";
import { listenForWork } from "../storage/work-signal.ts";
import { renewOldTokens } from "../tokens/renew-tokens.ts";
import { createWebhookLanes, type WebhookLanes } from "../webhooks/work-off-webhooks.ts";
import { repeat } from "./repeat.ts";
import { sweep } from "./sweep.ts";

// Even when nobody says anything, this often; it also bounds how late a missed word is noticed.
const secondsBetweenLooksMax = 5;
// What is due was just taken up, or waits for a lane that takes it up by itself.
const secondsBetweenLooksMin = { free: 0.05, full: 1 };
// Tokens are renewed by the week, so looking by the minute is plenty.
const secondsBetweenRenewals = 60;
const secondsBetweenSweeps = 60 * 60;

/**
 * Harbor's worker: applies webhooks, finds out about routines without an answer, renews tokens, deletes what ended long
 * ago; each beside the others, so that what is slow holds up nothing else. Webhooks are taken up when a NOTIFY of
 * whichever process received one says so, and at the next due time. Any number may run: each takes its own share.
 */
export async function startPartnerWorker(): Promise<{ stop: () => Promise<void> }> {
  let isStopped = false;
  const lanes = createWebhookLanes();
  const webhooks = repeat(
    "webhooks",
    async () => lanes.open(),
    () => secondsUntilNextLook(lanes),
  );
  const jobs = [
    webhooks,
    repeat("routines", resolveRoutines, () => secondsBetweenLooksMax),
    repeat(
      "tokens",
      () => renewOldTokens(() => isStopped),
      () => secondsBetweenRenewals,
    ),
    repeat("sweep", sweep, () => secondsBetweenSweeps),
  ];
  const signal = listenForWork(webhooks.wake);

  async function stop(): Promise<void> {
    isStopped = true;
    await Promise.all([...jobs.map((job) => job.stop()), lanes.idle({ stop: true })]);
    await signal.stop();
  }
  return { stop };
}

async function secondsUntilNextLook(lanes: WebhookLanes): Promise<number> {
  try {
    const seconds = (await secondsUntilNextReceipt(database())) ?? secondsBetweenLooksMax;
    const least = lanes.isFull() ? secondsBetweenLooksMin.full : secondsBetweenLooksMin.free;
    return Math.min(Math.max(seconds, least), secondsBetweenLooksMax);
  } catch {
    // The database is away; the next look says so.
    return secondsBetweenLooksMax;
  }
}
