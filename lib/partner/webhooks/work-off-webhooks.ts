import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
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
const lanesMax = 20;

// An event may overtake the answer to the request that caused it, but not by much.
const secondsUntilNotOurs = [1, 2, 5, 20];
// Then the last one again and again, for about a day. After that the record is stale until its next event.
const secondsBetweenTries = [1, 5, 30, 120, 600];
const triesMax = 150;

/** Receipts being applied, each beside the others: one that is slow holds up none. */
export type WebhookLanes = {
  /** Takes up what is due, as far as there is room; returns at once. */
  open: () => void;
  isFull: () => boolean;
  /** Resolves once nothing is under way any more; with `stop` nothing more is taken up. */
  idle: (how?: { stop: boolean }) => Promise<void>;
};

/** Makes the lanes of one worker. Whoever finds a receipt has another lane look for the next, so a burst fills them all. */
export function createWebhookLanes(): WebhookLanes {
  const lanes = new Set<Promise<void>>();
  let isStopped = false;

  function open(): void {
    if (isStopped || lanes.size >= lanesMax) return;
    const lane = work()
      .catch((error) => log().error({ error }, "working off webhooks failed and will be tried again"))
      .finally(() => lanes.delete(lane));
    lanes.add(lane);
  }

  async function work(): Promise<void> {
    while (!isStopped) {
      const [receipt] = await claimWebhookReceipts(database(), { limit: 1, leaseSeconds });
      if (!receipt) return;
      open();
      await workOff(receipt);
    }
  }

  async function idle({ stop } = { stop: false }): Promise<void> {
    isStopped ||= stop;
    while (lanes.size > 0) await Promise.all(lanes);
  }

  return { open, isFull: () => lanes.size >= lanesMax, idle };
}

/** Applies every receipt that is due, and those that fall due meanwhile; one that fails is put off, never lost. */
export async function workOffWebhooks(): Promise<void> {
  const lanes = createWebhookLanes();
  lanes.open();
  await lanes.idle();
}

async function workOff(receipt: WebhookReceipt): Promise<void> {
  const { webhookId, webhookType, traceId, attempts } = receipt;
  const applied = await tryToApply(receipt);
  const seconds = secondsUntilNextTry(applied, attempts);
  log().info({ traceId, webhookId, webhookType, applied, attempts }, "webhook worked off");
  if (seconds === undefined) await finishWebhookReceipt(database(), webhookId, applied);
  else await postponeWebhookReceipt(database(), webhookId, seconds);
}

async function tryToApply(receipt: WebhookReceipt): Promise<Applied> {
  try {
    return await applyWebhook(receipt);
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
