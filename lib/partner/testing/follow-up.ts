import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { resolveRoutines } from "../routines/resolve-routines.ts";
import { insertWebhookReceipt } from "../storage/webhook-receipts.ts";

/** Moves the clock until every routine is due again and no request can be in flight, then polls them. */
export async function followUp(): Promise<void> {
  await partner().pool.query(
    `update routines set next_try_at = least(next_try_at, harbor_now()), last_sent_real_at = now() - interval '10 minutes'
    where next_try_at is not null`,
  );
  await resolveRoutines(partner());
}

/** Stores a webhook as if it had been delivered, and returns its id. */
export async function announce(webhookType: string, resourceId: string): Promise<string> {
  const webhookId = newId();
  const traceId = newTraceId();
  await insertWebhookReceipt(partner().db, { webhookId, webhookType, resourceId, userId: newId(), traceId });
  return webhookId;
}

/** A payment that is made, but whose response is lost. */
export function paidAndCut(makePayment: () => unknown): "cut" {
  makePayment();
  return "cut";
}
