import type { WebhookType } from "../../contract/webhooks.ts";
import { applyRoutineUpdate } from "../routines/apply-routine-update.ts";
import type { WebhookReceipt } from "../storage/webhook-receipts.ts";
import type { Applied } from "./applied.ts";
import { applyUserIntentUpdate } from "./apply-user-intent-update.ts";
import { applyUserUpdate } from "./apply-user-update.ts";

type Application = (receipt: WebhookReceipt) => Promise<Applied>;

const applications: Record<WebhookType, Application> = {
  user_intent_updated: applyUserIntentUpdate,
  user_updated: applyUserUpdate,
  routine_updated: ({ resourceId, traceId }) => applyRoutineUpdate({ serviceRoutineId: resourceId }, { traceId }),
  transfer_updated: ({ resourceId, traceId }) => applyRoutineUpdate({ transferId: resourceId }, { traceId }),
};

/**
 * Brings Harbor in step with the record that an event is about. An event says only that something changed; its state is
 * fetched, so duplicates and any order end at the same place. A type that we do not know is none of our business.
 */
export async function applyWebhook(receipt: WebhookReceipt): Promise<Applied> {
  const isKnown = Object.hasOwn(applications, receipt.webhookType);
  return isKnown ? applications[receipt.webhookType as WebhookType](receipt) : "ignored";
}
