import { isId } from "../../kit/ids.ts";
import type { Partner } from "../partner.ts";
import {
  type BatchPaymentRow,
  type BatchRow,
  findBatch,
  findSameBatch,
  listBatchPayments,
  listNewestBatches,
} from "../storage/payment-batches.ts";
import type { RoutineState } from "../storage/schema.ts";
import { listedStatus, maskedEmail } from "./routine-view.ts";

/**
 * One payment of a batch. `status` and `routineState` come from its routine. Without a routine, `reason` says why, and
 * `otherRoutineId` names the payment that might be the same.
 */
export type BatchPaymentView = Pick<
  BatchPaymentRow,
  "line" | "amountCents" | "name" | "state" | "reason" | "otherRoutineId"
> & {
  sellerName: string;
  email: string;
  routineId: string | null;
  routineState: RoutineState | null;
  status: string | null;
};

/** Times are ISO 8601. `sameAs`: a batch with exactly these payments, confirmed in the last days. */
export type BatchView = Pick<BatchRow, "id" | "sourceId" | "digest"> & {
  confirmedAt: string | null;
  payments: BatchPaymentView[];
  totalCents: number;
  /** Payments still waiting to be sent. */
  waiting: number;
  /** Payments that weren't made and can be retried. */
  unmade: number;
  sameAs: { id: string; confirmedAt: string } | null;
};

const sameDays = 7;

export async function readBatchView(partner: Partner, id: string): Promise<BatchView | undefined> {
  const batch = isId(id) ? await findBatch(partner.db, id) : undefined;
  if (!batch) return undefined;
  const [rows, same] = await Promise.all([
    listBatchPayments(partner.db, id),
    batch.confirmedAt === null ? findSameBatch(partner.db, batch, sameDays) : undefined,
  ]);
  const payments = rows.map(({ payment, routine, otherRoutineId, email, sellerName }): BatchPaymentView => {
    const { line, amountCents, name, state, reason } = payment;
    return {
      ...{ line, amountCents, name, state, reason, otherRoutineId, sellerName },
      email: maskedEmail(email ?? ""),
      routineId: routine?.id ?? null,
      routineState: routine?.state ?? null,
      status: routine ? listedStatus(routine) : null,
    };
  });
  return {
    ...{ id, sourceId: batch.sourceId, digest: batch.digest, payments },
    confirmedAt: batch.confirmedAt?.toISOString() ?? null,
    totalCents: payments.reduce((total, { amountCents }) => total + amountCents, 0),
    waiting: payments.filter(({ state, routineId }) => state === "waiting" && routineId === null).length,
    unmade: payments.filter(({ state, routineId }) => state === "not_made" && routineId === null).length,
    sameAs: same?.confirmedAt ? { id: same.id, confirmedAt: same.confirmedAt.toISOString() } : null,
  };
}

/** `confirmedAt` in ISO 8601. */
export type BatchSummary = { id: string; confirmedAt: string; payments: number; totalCents: number };

const batchesShown = 10;

export async function readNewestBatches(partner: Partner): Promise<BatchSummary[]> {
  const batches = await listNewestBatches(partner.db, batchesShown);
  return batches.flatMap(({ confirmedAt, ...batch }) =>
    confirmedAt ? [{ ...batch, confirmedAt: confirmedAt.toISOString() }] : [],
  );
}
