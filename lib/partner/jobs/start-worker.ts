import { keepListening } from "../../kit/listen.ts";
import { startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import type { Partner } from "../partner.ts";
import { compareRoutinesWhenDue } from "../routines/compare-routines.ts";
import { resolveRoutines } from "../routines/resolve-routines.ts";
import { channels, listenOn } from "../storage/channels.ts";
import { sweep } from "../storage/sweep.ts";
import { secondsUntilNextReceipt } from "../storage/webhook-receipts.ts";
import { renewOldTokens } from "../tokens/renew-tokens.ts";
import { createWebhookProcessing, type WebhookProcessing } from "../webhooks/process-webhooks.ts";

// Looked this often even without a notification; it also bounds how late a missed one is noticed.
const betweenLooksMs = 5000;
// What is due was just taken up, or waits for a runner that takes it up by itself.
const betweenLooksLeastMs = { free: 50, full: 1000 };
// Tokens are renewed by the week, so looking by the minute is plenty.
const betweenRenewalsMs = 60 * 1000;
const betweenComparisonChecksMs = 60 * 1000;
const betweenSweepsMs = 60 * 60 * 1000;
const retryMs = 5000;

/**
 * Harbor's worker: applies webhooks, finds out about routines without an answer, compares routines with the service's list, renews tokens, deletes what ended long
 * ago; each beside the others, so that what is slow holds up nothing else. Webhooks are taken up when a NOTIFY of
 * whichever process received one says so, and at the next due time; in a sandbox all of them look once the clock is moved.
 * Any number may run: each takes its own share.
 */
export async function startPartnerWorker(partner: Partner): Promise<{ stop: () => Promise<void> }> {
  const processing = createWebhookProcessing(partner);
  const loops = [
    startWakeLoop({
      name: "webhooks",
      listen: listenOn(partner, channels.webhooks),
      pollMs: betweenLooksMs,
      work: () => claimWebhooks(partner, processing),
    }),
    startRepeating("routines", () => resolveRoutines(partner), betweenLooksMs),
    startRepeating("comparison", (stopping) => compareRoutinesWhenDue(partner, stopping), betweenComparisonChecksMs),
    startRepeating("tokens", (stopping) => renewOldTokens(partner, () => stopping.aborted), betweenRenewalsMs),
    startRepeating("sweep", () => sweep(partner), betweenSweepsMs),
  ];
  const wakeAll = () => {
    for (const loop of loops) loop.wake();
  };
  const clock = partner.config.isSandbox
    ? keepListening({ name: "clock", ...listenOn(partner, channels.clock) }, { onConnect: wakeAll, onNotify: wakeAll })
    : undefined;
  return {
    stop: async () => {
      await clock?.stop();
      await Promise.all([...loops.map((loop) => loop.stop()), processing.idle({ stop: true })]);
    },
  };
}

async function claimWebhooks(partner: Partner, processing: WebhookProcessing): Promise<number> {
  processing.open();
  const seconds = await secondsUntilNextReceipt(partner.db);
  const waitMs = seconds === undefined ? betweenLooksMs : seconds * 1000;
  return Math.max(waitMs, processing.isFull() ? betweenLooksLeastMs.full : betweenLooksLeastMs.free);
}

function startRepeating(name: string, run: (stopping: AbortSignal) => Promise<void>, pollMs: number): WakeLoop {
  return startWakeLoop({
    name,
    pollMs,
    retryMs: Math.min(retryMs, pollMs),
    work: async (stopping) => {
      await run(stopping);
      return undefined;
    },
  });
}
