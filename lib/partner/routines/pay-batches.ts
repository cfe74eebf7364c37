import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { withinAction } from "../requests/current-action.ts";
import {
  claimWaitingPayments,
  type PaymentOutcome,
  secondsUntilNextPayment,
  storeOutcome,
  type WaitingPayment,
} from "../storage/payment-batches.ts";
import type { PaymentProblem } from "./payment-problem.ts";
import { createRoutine } from "./submit-payment.ts";

const paidAtOnce = 5;
const retrySeconds = 15;

/**
 * Pays the waiting payments of confirmed batches. If a worker is killed, another one continues under the same key, so
 * each payment is made once. Returns the milliseconds until the next one is due; undefined if none waits. `progress` is
 * called at each claim.
 */
export async function payBatches(
  partner: Partner,
  stopping?: AbortSignal,
  progress?: () => void,
): Promise<number | undefined> {
  while (!stopping?.aborted) {
    const waiting = await claimWaitingPayments(partner.db, paidAtOnce);
    if (waiting.length === 0) break;
    progress?.();
    await Promise.all(waiting.map((payment) => payOne(partner, payment)));
  }
  const seconds = await secondsUntilNextPayment(partner.db);
  return seconds === undefined ? undefined : seconds * 1000;
}

async function payOne(partner: Partner, waiting: WaitingPayment): Promise<void> {
  const { idempotencyKey, createdBy, sourceId, sellerUserId, amountCents, name } = waiting;
  const payment = {
    ...{ idempotency_key: idempotencyKey, source_id: sourceId, seller_user_id: sellerUserId },
    ...{ amount: amountCents, name },
  };
  const action = { traceId: newTraceId(), cause: "batch of payments", personId: createdBy };
  try {
    const created = await withinAction(action, () => createRoutine(partner, payment, { id: createdBy }));
    const outcome = created.kind === "created" ? { state: "sent" as const } : outcomeOf(created.problem);
    await storeOutcome(partner.db, idempotencyKey, outcome);
  } catch (error) {
    // When its lease ends, it is tried again.
    log().error({ error: describeError(error), traceId: action.traceId }, "a batch payment failed");
  }
}

function outcomeOf(problem: PaymentProblem): PaymentOutcome {
  switch (problem.kind) {
    // No other payment has this key, so it was sent; the seller's account has changed since.
    case "used_key":
      return { state: "sent" };
    case "comparing":
    case "not_sent":
      return { state: "waiting", seconds: retrySeconds, reason: problem.kind };
    case "found":
      return { state: "not_made", reason: problem.kind, otherRoutineId: problem.routineId };
    case "twin":
      return { state: "not_made", reason: `twin_${problem.state}`, otherRoutineId: problem.routineId };
    case "refused":
      return problem.status === 429
        ? { state: "waiting", seconds: retrySeconds, reason: "busy" }
        : { state: "not_made", reason: problem.reason };
    default:
      return { state: "not_made", reason: problem.kind };
  }
}
