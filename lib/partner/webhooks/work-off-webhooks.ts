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
const claimedAtOnceMax = 20;

// An event may overtake the answer to the request that caused it, but not by much.
const secondsUntilNotOurs = [1, 2, 5, 20];
// Then the last one again and again, for about a day. After that the record is stale until its next event.
const secondsBetweenTries = [1, 5, 30, 120, 600];
const triesMax = 150;

/** Applies every receipt that is due, and those that fall due meanwhile; one that fails is put off, never lost. */
export async function workOffWebhooks(): Promise<void> {
  for (;;) {
    const receipts = await claimWebhookReceipts(database(), { limit: claimedAtOnceMax, leaseSeconds });
    if (receipts.length === 0) return;
    await Promise.all(receipts.map(workOff));
  }
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
