import { keepListening, startWakeLoop, type WakeLoop } from "../../kit/wake-loop.ts";
import type { Partner } from "../partner.ts";
import { type Carriers, createMessageSender } from "../people/messages.ts";
import { compareRoutinesWhenDue } from "../routines/compare-routines.ts";
import { payBatches } from "../routines/pay-batches.ts";
import { resolveRoutines } from "../routines/resolve-routines.ts";
import { channels, listenOn } from "../storage/database.ts";
import { sweep } from "../storage/sweep.ts";
import { secondsUntilNextReceipt } from "../storage/webhook-receipts.ts";
import { renewOldTokens } from "../tokens/renew-tokens.ts";
import { createWebhookProcessing, type WebhookProcessing } from "../webhooks/process-webhooks.ts";

// Also bounds how late a missed notification is noticed.
const pollMs = 5000;
const pollMsMin = { free: 50, full: 1000 };
const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;
const retryMs = 5000;

/**
 * Starts Harbor's worker: independent loops. Any number of workers can run. NOTIFY wakes the webhook, message and batch
 * loops; in a sandbox, moving the clock wakes all of them.
 */
export async function startPartnerWorker(partner: Partner): Promise<{ stop: () => Promise<void> }> {
  const processing = createWebhookProcessing(partner);
  const { sendText, sendEmail } = partner.providers;
  const loops = [
    startWakeLoop({
      name: "webhooks",
      listen: listenOn(partner, channels.webhooks),
      pollMs,
      work: () => claimWebhooks(partner, processing),
    }),
    ...(sendText && sendEmail ? [startMessageSender(partner, { sendText, sendEmail })] : []),
    startWakeLoop({
      name: "batches",
      listen: listenOn(partner, channels.batches),
      pollMs,
      work: (stopping, progress) => payBatches(partner, stopping, progress),
    }),
    startRepeating("routines", (stopping, progress) => resolveRoutines(partner, stopping, progress), pollMs),
    startRepeating(
      "comparison",
      (stopping, progress) => compareRoutinesWhenDue(partner, { stopping, progress }),
      minuteMs,
    ),
    startRepeating("tokens", (stopping, progress) => renewOldTokens(partner, stopping, progress), minuteMs),
    startRepeating("sweep", (stopping, progress) => sweep(partner.db, stopping, progress), hourMs),
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

function startMessageSender(partner: Partner, carriers: Carriers): WakeLoop {
  const sender = createMessageSender(partner, carriers);
  return startWakeLoop({
    name: "messages",
    listen: listenOn(partner, channels.messages),
    pollMs,
    work: sender.sendWaiting,
    drain: sender.drain,
  });
}

/** Returns how long to wait, in milliseconds. */
async function claimWebhooks(partner: Partner, processing: WebhookProcessing): Promise<number> {
  processing.open();
  const seconds = await secondsUntilNextReceipt(partner.db);
  const waitMs = seconds === undefined ? pollMs : seconds * 1000;
  return Math.max(waitMs, processing.isFull() ? pollMsMin.full : pollMsMin.free);
}

function startRepeating(
  name: string,
  run: (stopping: AbortSignal, progress: () => void) => Promise<void>,
  pauseMs: number,
): WakeLoop {
  return startWakeLoop({
    name,
    pollMs: pauseMs,
    retryMs: Math.min(retryMs, pauseMs),
    work: async (stopping, progress) => {
      await run(stopping, progress);
      return undefined;
    },
  });
}
