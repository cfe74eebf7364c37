import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { resolveRoutines } from "../routines/resolve-routines.ts";
import { insertWebhookReceipt } from "../storage/webhook-receipts.ts";

/** Lets enough time pass that every routine is looked at again, and no request can be under way any more; then looks. */
export async function followUp(): Promise<void> {
  await partner().pool.query(
    `update routines set next_try_at = least(next_try_at, harbor_now()), last_sent_real_at = now() - interval '10 minutes'
    where next_try_at is not null`,
  );
  await resolveRoutines(partner());
}

/** Keeps a webhook as if it had been delivered; its id. */
export async function announce(webhookType: string, resourceId: string): Promise<string> {
  const webhookId = newId();
  const traceId = newTraceId();
  await insertWebhookReceipt(partner().db, { webhookId, webhookType, resourceId, userId: newId(), traceId });
  return webhookId;
}

/** What a request to pay does when its answer is lost: it is carried out. */
export function paidAndCut(makePayment: () => unknown): "cut" {
  makePayment();
  return "cut";
}
