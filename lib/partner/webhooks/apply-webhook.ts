import { decisionOf } from "#client";
import type { WebhookType } from "../../contract/webhooks.ts";
import { refreshAccount } from "../authorization/refresh-account.ts";
import { applyUserIntentDecision } from "../onboarding/follow-up-onboarding.ts";
import type { Partner } from "../partner.ts";
import { applyRoutineUpdate } from "../routines/apply-routine-update.ts";
import { refreshUserStatus } from "../routines/refresh-sellers.ts";
import { isIntentKnown, offerAuthorization } from "../storage/onboardings.ts";
import { findServiceUser } from "../storage/service-users.ts";
import type { WebhookReceipt } from "../storage/webhook-receipts.ts";
import type { Applied, NamedReceipt } from "./applied.ts";

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

/**
 * Fetches the intent that was decided and hands its record to onboarding (`applyUserIntentDecision(record)`), which a page
 * waits for. Where the service cannot be asked about intents, or says what Harbor does not know, the event itself is the
 * news: it is sent when the intent is decided, so its person may go on to the pages that tell how.
 */
export async function applyUserIntentUpdate(partner: Partner, { resourceId, traceId }: NamedReceipt): Promise<Applied> {
  const answer = await partner.client.readUserIntent(resourceId, { traceId });
  if (answer.kind === "ok") {
    const applied = await applyUserIntentDecision(partner, answer.body);
    if (applied !== "unknown_status") return applied === "applied" ? "applied" : "not_ours";
  }
  const isTold = answer.kind === "ok" || answer.kind === "unreadable";
  if (!isTold && decisionOf(answer) !== "definite") return "try_later";
  return (await offerAuthorization(partner.db, resourceId)) ? "applied" : "not_ours";
}

/** Fetches the user whose status changed, and their account, which an approval brings. */
export async function applyUserUpdate(partner: Partner, { resourceId, traceId }: NamedReceipt): Promise<Applied> {
  const user = await findServiceUser(partner.db, resourceId);
  if (!user) return "not_ours";
  const read = await refreshUserStatus(partner, user.id, { traceId });
  // Without a token there is nothing to fetch with; the record is read again when the person authorizes.
  if (read === "reauthorization_required") return "ignored";
  if (read !== "ok") return "try_later";
  const isAccountKnown = user.accountId !== null || (await refreshAccount(partner, user.id)) !== undefined;
  // Without it an approved seller could not be paid.
  return isAccountKnown ? "applied" : "try_later";
}
