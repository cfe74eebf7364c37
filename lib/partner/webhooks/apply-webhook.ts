import type { WebhookType } from "../../contract/webhooks.ts";
import type { Partner } from "../partner.ts";
import { applyRoutineUpdate } from "../routines/apply-routine-update.ts";
import { isIntentKnown } from "../storage/onboardings.ts";
import { findServiceUser } from "../storage/service-users.ts";
import type { WebhookReceipt } from "../storage/webhook-receipts.ts";
import type { Applied, NamedReceipt } from "./applied.ts";
import { applyUserIntentUpdate } from "./apply-user-intent-update.ts";
import { applyUserUpdate } from "./apply-user-update.ts";

type Application = (partner: Partner, receipt: NamedReceipt) => Promise<Applied>;

const applications: Record<WebhookType, Application> = {
  user_intent_updated: applyUserIntentUpdate,
  user_updated: applyUserUpdate,
  routine_updated: (partner, { resourceId, traceId }) =>
    applyRoutineUpdate(partner, { serviceRoutineId: resourceId }, { traceId }),
  transfer_updated: (partner, { resourceId, traceId }) =>
    applyRoutineUpdate(partner, { transferId: resourceId }, { traceId }),
};

/**
 * Brings Harbor in step with the record that an event is about. An event says only that something changed; its state is
 * fetched, so duplicates and any order end at the same place. A type that we do not know counts for what it names.
 */
export async function applyWebhook(partner: Partner, receipt: WebhookReceipt): Promise<Applied> {
  const { resourceId, webhookType } = receipt;
  if (resourceId === null) return "ignored";
  const apply = Object.hasOwn(applications, webhookType) ? applications[webhookType as WebhookType] : applyByResource;
  return apply(partner, { ...receipt, resourceId });
}

// The names of routine and transfer events are not published.
async function applyByResource(partner: Partner, receipt: NamedReceipt): Promise<Applied> {
  const { resourceId } = receipt;
  if (await isIntentKnown(partner.db, resourceId)) return applyUserIntentUpdate(partner, receipt);
  if (await findServiceUser(partner.db, resourceId)) return applyUserUpdate(partner, receipt);
  const asRoutine = await applications.routine_updated(partner, receipt);
  const applied = asRoutine === "not_ours" ? await applications.transfer_updated(partner, receipt) : asRoutine;
  return applied === "not_ours" ? "ignored" : applied;
}
