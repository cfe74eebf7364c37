import { eq, sql } from "drizzle-orm";
import { webhooksChannel } from "./channels.ts";
import { type Db, partnerPool } from "./database.ts";
import { webhookReceipts } from "./schema.ts";

/** A delivery that passed the gates and waits to be applied. */
export type WebhookReceipt = Pick<
  typeof webhookReceipts.$inferSelect,
  "webhookId" | "webhookType" | "userId" | "resourceId" | "traceId" | "attempts"
>;

/** Keeps a delivery and wakes the worker, in one statement. False when this webhook id was kept before. */
export async function insertWebhookReceipt(receipt: Omit<WebhookReceipt, "attempts">): Promise<boolean> {
  const { webhookId, webhookType, userId, resourceId, traceId } = receipt;
  const result = await partnerPool().query({
    name: "insert_webhook_receipt",
    text: `with receipt as (
             insert into webhook_receipts (webhook_id, webhook_type, user_id, resource_id, trace_id, next_attempt_real_at)
             values ($1, $2, $3, $4, $5, now())
             on conflict (webhook_id) do nothing
             returning webhook_id
           )
           select pg_notify('${webhooksChannel}', '') from receipt`,
    values: [webhookId, webhookType, userId, resourceId, traceId],
  });
  return result.rowCount === 1;
}

/**
 * Takes up to `limit` due receipts for this worker alone. They fall due again after `leaseSeconds`, so a worker that
 * dies loses none.
 */
export async function claimWebhookReceipts(
  db: Db,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<WebhookReceipt[]> {
  const due = db
    .select({ webhookId: webhookReceipts.webhookId })
    .from(webhookReceipts)
    .where(sql`${webhookReceipts.nextAttemptRealAt} <= now()`)
    .orderBy(webhookReceipts.nextAttemptRealAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(webhookReceipts)
    .set({
      attempts: sql`${webhookReceipts.attempts} + 1`,
      nextAttemptRealAt: sql`now() + make_interval(secs => ${leaseSeconds})`,
    })
    .where(sql`${webhookReceipts.webhookId} in ${due}`)
    .returning({
      webhookId: webhookReceipts.webhookId,
      webhookType: webhookReceipts.webhookType,
      userId: webhookReceipts.userId,
      resourceId: webhookReceipts.resourceId,
      traceId: webhookReceipts.traceId,
      attempts: webhookReceipts.attempts,
    });
}

/** Notes what became of a receipt; it is not looked at again. */
export async function finishWebhookReceipt(db: Db, webhookId: string, outcome: string): Promise<void> {
  await db
    .update(webhookReceipts)
    .set({ outcome, nextAttemptRealAt: null, processedRealAt: sql`now()` })
    .where(eq(webhookReceipts.webhookId, webhookId));
}

/** Puts a receipt off: it falls due again after so many seconds. */
export async function postponeWebhookReceipt(db: Db, webhookId: string, seconds: number): Promise<void> {
  await db
    .update(webhookReceipts)
    .set({ nextAttemptRealAt: sql`now() + make_interval(secs => ${seconds})` })
    .where(eq(webhookReceipts.webhookId, webhookId));
}

/** The seconds until the next receipt falls due; undefined when none waits. */
export async function secondsUntilNextReceipt(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({
      seconds: sql<number | null>`extract(epoch from min(${webhookReceipts.nextAttemptRealAt}) - now())::float8`,
    })
    .from(webhookReceipts);
  return row?.seconds ?? undefined;
}
