import { eq, inArray, sql } from "drizzle-orm";
import { channels, type Db } from "./database.ts";
import { webhookReceipts } from "./schema.ts";

const receiptsShownMax = 50;

export type WebhookReceipt = Pick<
  typeof webhookReceipts.$inferSelect,
  "webhookId" | "webhookType" | "userId" | "resourceId" | "traceId" | "attempts"
>;

/** Stores a delivery and wakes the worker, in one statement. False for a duplicate. */
export async function insertWebhookReceipt(db: Db, receipt: Omit<WebhookReceipt, "attempts">): Promise<boolean> {
  const kept = db.$with("kept").as(
    db
      .insert(webhookReceipts)
      .values({ ...receipt, nextAttemptRealAt: sql`now()` })
      .onConflictDoNothing()
      .returning({ webhookId: webhookReceipts.webhookId }),
  );
  const woken = await db
    .with(kept)
    .select({ woken: sql`pg_notify(${channels.webhooks}, '')` })
    .from(kept);
  return woken.length === 1;
}

export async function countDuplicate(db: Db, webhookId: string): Promise<void> {
  await db
    .update(webhookReceipts)
    .set({ duplicates: sql`${webhookReceipts.duplicates} + 1` })
    .where(eq(webhookReceipts.webhookId, webhookId));
}

/** The deliveries about these resources, oldest first; `outcome` is null until applied. */
export async function listReceiptsOf(db: Db, resourceIds: string[]): Promise<(typeof webhookReceipts.$inferSelect)[]> {
  return db
    .select()
    .from(webhookReceipts)
    .where(inArray(webhookReceipts.resourceId, resourceIds))
    .orderBy(webhookReceipts.receivedRealAt)
    .limit(receiptsShownMax);
}

// What the column holds.
const attemptsMax = 32_767;

/** Leases up to `limit` due receipts to this worker. */
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
      // An event about a payment that stays unanswered is tried without a limit.
      attempts: sql`least(${webhookReceipts.attempts}, ${attemptsMax - 1}) + 1`,
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

export async function finishWebhookReceipt(db: Db, webhookId: string, outcome: string): Promise<void> {
  await db
    .update(webhookReceipts)
    .set({ outcome, nextAttemptRealAt: null, processedRealAt: sql`now()` })
    .where(eq(webhookReceipts.webhookId, webhookId));
}

export async function postponeWebhookReceipt(db: Db, webhookId: string, seconds: number): Promise<void> {
  await db
    .update(webhookReceipts)
    .set({ nextAttemptRealAt: sql`now() + make_interval(secs => ${seconds})` })
    .where(eq(webhookReceipts.webhookId, webhookId));
}

/** The seconds until the next receipt is due; undefined if there is none. */
export async function secondsUntilNextReceipt(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({
      seconds: sql<number | null>`extract(epoch from min(${webhookReceipts.nextAttemptRealAt}) - now())::float8`,
    })
    .from(webhookReceipts);
  return row?.seconds ?? undefined;
}
