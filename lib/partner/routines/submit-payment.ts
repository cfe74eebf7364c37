import { hasTime, newId, timeOfId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import type { ActionResult } from "../requests/form-state.ts";
import { isUnpayableUser } from "../statuses.ts";
import type { Person } from "../storage/people.ts";
import { findMatchingAdopted, readComparison } from "../storage/routine-comparison.ts";
import { listMatchingUnsettled } from "../storage/routine-resolution.ts";
import { insertRoutine, markUnanswered, type NewRoutine, revertRefusedSend } from "../storage/routine-sends.ts";
import { findRoutineByKey, type RoutineRow } from "../storage/routines.ts";
import { findServiceUser, lockServiceUser } from "../storage/service-users.ts";
import { compareWithTimeout } from "./compare-routines.ts";
import { type Payment, paymentFields } from "./payment-fields.ts";
import { formOfProblem, type PaymentProblem } from "./payment-problem.ts";
import { addressOfPayment, type PrefilledPayment } from "./prefilled-payment.ts";
import { recordBalances, watchRoutine } from "./refresh-routine.ts";
import { firstCheckSeconds, sendRoutine } from "./send-routine.ts";

/** The idempotency key in the form's URL; undefined if the form needs a new one: it has none, or was already paid. */
export async function formKeyOf(partner: Partner, typed: unknown): Promise<string | undefined> {
  const { data: key } = paymentFields.shape.idempotency_key.safeParse(typed);
  const routine = key && (await findRoutineByKey(partner.db, key));
  return !routine || routine.state === "submitting" || routine.state === "unanswered" ? key : undefined;
}

/** Where a form continues after signing in again: at the payment that it made, or as it was, with its key. */
export async function addressOfResumed(partner: Partner, prefilled: PrefilledPayment, typed: unknown): Promise<string> {
  const key = paymentFields.shape.idempotency_key.safeParse(typed);
  const routine = key.success ? await findRoutineByKey(partner.db, key.data) : undefined;
  return routine ? `/routines/${routine.id}` : addressOfPayment(prefilled, key.data);
}

export async function submitPayment(partner: Partner, payment: Payment, operator: Person): Promise<ActionResult> {
  const created = await createRoutine(partner, payment, operator);
  if (created.kind === "created") return { redirectTo: `/routines/${created.routineId}` };
  const filledIn = { ...payment, amount: (payment.amount / 100).toFixed(2) };
  return formOfProblem(created.problem, addressOfPayment(filledIn, payment.idempotency_key));
}

/** The routine, possibly still without an answer, or why none was created. */
export type CreatedRoutine = { kind: "created"; routineId: string } | { kind: "problem"; problem: PaymentProblem };

const notPayable: CreatedRoutine = { kind: "problem", problem: { kind: "seller_not_payable" } };

/** Pays a seller, once per idempotency key. Never resends while the outcome is unknown. */
export async function createRoutine(
  partner: Partner,
  payment: Payment,
  operator: Pick<Person, "id">,
): Promise<CreatedRoutine> {
  const seller = await findServiceUser(partner.db, payment.seller_user_id);
  if (!seller?.accountId) return notPayable;
  // Since the form was shown, or the batch reviewed. A known key still leads to its payment.
  const isPayable = seller.personId !== null && !isUnpayableUser(seller.status);
  if (!isPayable && !(await findRoutineByKey(partner.db, payment.idempotency_key))) return notPayable;
  const routine: NewRoutine = {
    id: newId(),
    idempotencyKey: payment.idempotency_key,
    createdBy: operator.id,
    traceId: newTraceId(),
    sourceId: payment.source_id,
    sellerUserId: payment.seller_user_id,
    amountCents: payment.amount,
    name: payment.name,
    destinationId: seller.accountId,
  };
  const problem = await comparisonProblem(partner, routine);
  if (problem) return { kind: "problem", problem };
  return partner.withPaymentLock(routine.idempotencyKey, () => insertAndSend(partner, routine));
}

async function insertAndSend(partner: Partner, payment: NewRoutine): Promise<CreatedRoutine> {
  const reserved = await reserveSend(partner, payment);
  if (reserved.kind !== "reserved") return reserved;
  const { routine } = reserved;
  const created = { kind: "created" as const, routineId: routine.id };
  await recordBalances(partner, routine, "before");
  const sent = await sendRoutine(partner, routine);
  if (sent.kind === "sent") {
    await watchRoutine(partner, routine.id);
    return created;
  }
  if (sent.kind === "unanswered") {
    await markUnanswered(partner.db, routine.id, firstCheckSeconds);
    return created;
  }
  const isForgotten = await partner.inTransaction((tx) => revertRefusedSend(tx, routine));
  return isForgotten ? { kind: "problem", problem: sent } : created;
}

/** Stores the payment unless its key was used or the same payment might already exist. Serialized per seller. */
function reserveSend(
  partner: Partner,
  payment: NewRoutine,
): Promise<CreatedRoutine | { kind: "reserved"; routine: RoutineRow }> {
  return partner.inTransaction(async (tx) => {
    await lockServiceUser(tx, payment.sellerUserId);
    const routine = await insertRoutine(tx, payment);
    if (!isSame(routine, payment)) {
      return { kind: "problem" as const, problem: { kind: "used_key" as const, routineId: routine.id } };
    }
    if (!routine.isNew) return { kind: "created" as const, routineId: routine.id };
    const alike = await listMatchingUnsettled(tx, payment);
    const twin = alike.find(({ id, state }) => id !== routine.id && state !== "refused");
    if (!twin) return { kind: "reserved" as const, routine };
    await revertRefusedSend(tx, routine);
    const problem = { kind: "twin" as const, routineId: twin.id, state: twin.state };
    return { kind: "problem" as const, problem };
  });
}

const details = ["sourceId", "sellerUserId", "amountCents", "name", "destinationId"] as const;

function isSame(routine: RoutineRow, payment: NewRoutine): boolean {
  return details.every((name) => routine[name] === payment[name]);
}

const daysOfFound = 7;

/**
 * Why a payment can't be made yet: after a restore, Harbor may have forgotten that it was already made. Runs a due
 * comparison, and stops a payment that a comparison found. A known key always passes.
 */
async function comparisonProblem(partner: Partner, payment: NewRoutine): Promise<PaymentProblem | undefined> {
  const { isDue } = await readComparison(partner.db);
  if (isDue && !(await findRoutineByKey(partner.db, payment.idempotencyKey))) {
    const compared = await compareWithTimeout(partner);
    if (compared?.kind === "reauthorization_required") return compared;
    // If this joined a running comparison, that one may have started before it became due.
    if ((await readComparison(partner.db)).isDue) return { kind: "comparing" };
  }
  // A batch payment's key is as old as its draft. Whatever was made since then may be this very payment.
  const since = hasTime(payment.idempotencyKey) ? new Date(timeOfId(payment.idempotencyKey)) : undefined;
  const foundId = await findMatchingAdopted(partner.db, payment, { days: daysOfFound, since });
  if (!foundId || (await findRoutineByKey(partner.db, payment.idempotencyKey))) return undefined;
  return { kind: "found", routineId: foundId };
}
