import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { withinAction } from "../requests/current-action.ts";
import {
  claimWebhookReceipts,
  finishWebhookReceipt,
  postponeWebhookReceipt,
  type WebhookReceipt,
} from "../storage/webhook-receipts.ts";
import type { Applied } from "./applied.ts";
import { applyWebhook } from "./apply-webhook.ts";

// Longer than applying one can take (a refresh and two calls of 10 s each), so nobody else takes it up meanwhile.
const leaseSeconds = 60;
const runnersMax = 20;

// An event may overtake the answer to the request that caused it, but not by much.
const secondsUntilNotOurs = [1, 2, 5, 20];
// Then the last one again and again, for about a day. After that the record is stale until its next event.
const secondsBetweenTries = [1, 5, 30, 120, 600];
const triesMax = 150;

/** Receipts being applied, each beside the others: one that is slow holds up none. */
export type WebhookProcessing = {
  /** Takes up what is due, as far as there is room; returns at once. */
  open: () => void;
  isFull: () => boolean;
  /** Resolves once nothing is under way any more; with `stop` nothing more is taken up. */
  idle: (how?: { stop: boolean }) => Promise<void>;
};

/** The processing of one worker. A runner that finds a receipt starts another to look for the next, so a burst uses all. */
export function createWebhookProcessing(partner: Partner): WebhookProcessing {
  const runners = new Set<Promise<void>>();
  let isStopped = false;

  function open(): void {
    if (isStopped || runners.size >= runnersMax) return;
    const runner = work()
      .catch((error) => log().error({ error }, "processing webhooks failed and will be tried again"))
      .finally(() => runners.delete(runner));
    runners.add(runner);
  }

  async function work(): Promise<void> {
    while (!isStopped) {
      const [receipt] = await claimWebhookReceipts(partner.db, { limit: 1, leaseSeconds });
      if (!receipt) return;
      open();
      await processReceipt(partner, receipt);
    }
  }

  async function idle({ stop } = { stop: false }): Promise<void> {
    isStopped ||= stop;
    while (runners.size > 0) await Promise.all(runners);
  }

  return { open, isFull: () => runners.size >= runnersMax, idle };
}

/** Applies every receipt that is due, and those that fall due meanwhile; one that fails is put off, never lost. */
export async function processWebhooks(partner: Partner): Promise<void> {
  const runners = createWebhookProcessing(partner);
  runners.open();
  await runners.idle();
}

async function processReceipt(partner: Partner, receipt: WebhookReceipt): Promise<void> {
  const { webhookId, webhookType, traceId, attempts } = receipt;
  const applied = await tryToApply(partner, receipt);
  const seconds = secondsUntilNextTry(applied, attempts);
  log().info({ traceId, webhookId, webhookType, applied, attempts }, "webhook processed");
  if (seconds === undefined) await finishWebhookReceipt(partner.db, webhookId, applied);
  else await postponeWebhookReceipt(partner.db, webhookId, seconds);
}

async function tryToApply(partner: Partner, receipt: WebhookReceipt): Promise<Applied> {
  const { traceId, webhookType, userId, resourceId } = receipt;
  const about = [userId, resourceId].filter((id) => id !== null);
  try {
    return await withinAction({ traceId, cause: `webhook ${webhookType}`, about }, () =>
      applyWebhook(partner, receipt),
    );
  } catch (error) {
    log().error({ error, traceId: receipt.traceId, webhookId: receipt.webhookId }, "applying a webhook failed");
    return "try_later";
  }
}

function secondsUntilNextTry(applied: Applied, attempts: number): number | undefined {
  // For as long as it takes: what it is about may be a payment whose answer was lost.
  if (applied === "not_yet_known") return secondsBetweenTries[attempts - 1] ?? secondsBetweenTries.at(-1);
  if (applied === "not_ours") return secondsUntilNotOurs[attempts - 1];
  if (applied === "try_later" && attempts < triesMax)
    return secondsBetweenTries[attempts - 1] ?? secondsBetweenTries.at(-1);
  return undefined;
}
