import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lte,
  min,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { channels, type Db, harborNow } from "./database.ts";
import { batchPayments, paymentBatches, people, routines, serviceUsers } from "./schema.ts";

export type BatchRow = typeof paymentBatches.$inferSelect;
export type BatchPaymentRow = typeof batchPayments.$inferSelect;
export type NewBatch = Pick<BatchRow, "id" | "createdBy" | "sourceId" | "digest"> & {
  payments: Pick<BatchPaymentRow, "idempotencyKey" | "line" | "sellerUserId" | "amountCents" | "name">[];
};

/** Stores a draft, replacing an earlier draft with this id. False if that one was confirmed. */
export async function storeDraft(tx: Db, { payments, ...batch }: NewBatch): Promise<boolean> {
  const draft = { ...batch, createdAt: harborNow };
  const [stored] = await tx
    .insert(paymentBatches)
    .values(draft)
    .onConflictDoUpdate({ target: paymentBatches.id, set: draft, setWhere: isNull(paymentBatches.confirmedAt) })
    .returning({ id: paymentBatches.id });
  if (!stored) return false;
  await tx.delete(batchPayments).where(eq(batchPayments.batchId, batch.id));
  const rows = payments.map((payment) => ({ ...payment, batchId: batch.id, state: "draft" as const }));
  await tx.insert(batchPayments).values(rows);
  return true;
}

/** Queues a draft's payments, once. False if it was already confirmed, or no longer has this digest. */
export async function confirmBatch(
  tx: Db,
  { id, digest, createdBy }: Pick<BatchRow, "id" | "digest" | "createdBy">,
): Promise<boolean> {
  const confirmed = await tx
    .update(paymentBatches)
    .set({ createdBy, confirmedAt: harborNow })
    .where(and(eq(paymentBatches.id, id), eq(paymentBatches.digest, digest), isNull(paymentBatches.confirmedAt)))
    .returning({ id: paymentBatches.id });
  if (confirmed.length === 0) return false;
  await queuePayments(tx, and(eq(batchPayments.batchId, id), eq(batchPayments.state, "draft")));
  return true;
}

/** Requeues the payments that weren't made, under their own keys. */
export async function requeueNotMade(tx: Db, id: string): Promise<void> {
  await queuePayments(tx, and(eq(batchPayments.batchId, id), eq(batchPayments.state, "not_made")));
}

async function queuePayments(tx: Db, condition: SQL | undefined): Promise<void> {
  const queued = { state: "waiting" as const, nextTryRealAt: sql`now()`, reason: null, otherRoutineId: null };
  await tx.update(batchPayments).set(queued).where(condition);
  await tx.execute(sql`select pg_notify(${channels.batches}, '')`);
}

// Longer than one payment can take. If a worker is killed, another one takes over its payments.
const leaseSeconds = 60;

export type WaitingPayment = BatchPaymentRow & Pick<BatchRow, "createdBy" | "sourceId">;

export async function claimWaitingPayments(db: Db, limit: number): Promise<WaitingPayment[]> {
  const due = db
    .select({ key: batchPayments.idempotencyKey })
    .from(batchPayments)
    .where(and(eq(batchPayments.state, "waiting"), lte(batchPayments.nextTryRealAt, sql`now()`)))
    .orderBy(batchPayments.nextTryRealAt, batchPayments.line)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(batchPayments)
    .set({ nextTryRealAt: sql`now() + make_interval(secs => ${leaseSeconds})` })
    .from(paymentBatches)
    .where(and(inArray(batchPayments.idempotencyKey, due), eq(paymentBatches.id, batchPayments.batchId)))
    .returning({
      ...getTableColumns(batchPayments),
      createdBy: paymentBatches.createdBy,
      sourceId: paymentBatches.sourceId,
    });
}

export type PaymentOutcome =
  | { state: "sent" }
  | { state: "not_made"; reason: string; otherRoutineId?: string | undefined }
  | { state: "waiting"; seconds: number; reason: string };

/**
 * After a lease ends, two workers can try one payment. `sent` wins over what the other one stored, as long as the
 * payment has a routine: a refusal of its only request deletes that.
 */
export async function storeOutcome(db: Db, key: string, outcome: PaymentOutcome): Promise<void> {
  const columns = {
    state: outcome.state,
    reason: outcome.state === "sent" ? null : outcome.reason,
    otherRoutineId: outcome.state === "not_made" ? (outcome.otherRoutineId ?? null) : null,
    nextTryRealAt: outcome.state === "waiting" ? sql`now() + make_interval(secs => ${outcome.seconds})` : null,
  };
  const hasRoutine = exists(db.select({ id: routines.id }).from(routines).where(eq(routines.idempotencyKey, key)));
  const isWaiting = eq(batchPayments.state, "waiting");
  const counts = outcome.state === "sent" ? hasRoutine : or(isWaiting, not(hasRoutine));
  await db
    .update(batchPayments)
    .set(columns)
    .where(and(eq(batchPayments.idempotencyKey, key), counts));
}

export async function secondsUntilNextPayment(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({ seconds: sql<number | null>`extract(epoch from ${min(batchPayments.nextTryRealAt)} - now())::float8` })
    .from(batchPayments)
    .where(eq(batchPayments.state, "waiting"));
  return row?.seconds === null || row === undefined ? undefined : Math.max(0, row.seconds);
}

export async function findBatch(db: Db, id: string): Promise<BatchRow | undefined> {
  const [row] = await db.select().from(paymentBatches).where(eq(paymentBatches.id, id));
  return row;
}

/**
 * In list order, each with its seller, and its routine if there is one. `otherRoutineId`: null once that routine is
 * gone.
 */
export async function listBatchPayments(db: Db, batchId: string) {
  const other = alias(routines, "other");
  return db
    .select({
      payment: batchPayments,
      routine: routines,
      otherRoutineId: other.id,
      email: people.email,
      sellerName: sql<string>`coalesce(${serviceUsers.firstName} || ' ' || ${serviceUsers.lastName}, '')`,
    })
    .from(batchPayments)
    .leftJoin(routines, eq(routines.idempotencyKey, batchPayments.idempotencyKey))
    .leftJoin(other, eq(other.id, batchPayments.otherRoutineId))
    .leftJoin(serviceUsers, eq(serviceUsers.id, batchPayments.sellerUserId))
    .leftJoin(people, eq(people.id, serviceUsers.personId))
    .where(eq(batchPayments.batchId, batchId))
    .orderBy(asc(batchPayments.line));
}

/** The newest batch with exactly these payments, confirmed in the last days; `digest` is a draft's. */
export async function findSameBatch(
  db: Db,
  { digest }: Pick<BatchRow, "digest">,
  days: number,
): Promise<BatchRow | undefined> {
  const [row] = await db
    .select()
    .from(paymentBatches)
    .where(
      and(
        eq(paymentBatches.digest, digest),
        sql`${paymentBatches.confirmedAt} > ${harborNow} - make_interval(days => ${days})`,
      ),
    )
    .orderBy(desc(paymentBatches.confirmedAt))
    .limit(1);
  return row;
}

export type BatchSummary = { id: string; confirmedAt: Date | null; payments: number; totalCents: number };

export async function listNewestBatches(db: Db, limit: number): Promise<BatchSummary[]> {
  return db
    .select({
      id: paymentBatches.id,
      confirmedAt: paymentBatches.confirmedAt,
      payments: sql<number>`count(*)::int`,
      totalCents: sql<number>`sum(${batchPayments.amountCents})::float8`,
    })
    .from(paymentBatches)
    .innerJoin(batchPayments, eq(batchPayments.batchId, paymentBatches.id))
    .where(isNotNull(paymentBatches.confirmedAt))
    .groupBy(paymentBatches.id)
    .orderBy(desc(paymentBatches.confirmedAt))
    .limit(limit);
}
