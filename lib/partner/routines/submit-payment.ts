import { brandName } from "../../../brand/name.ts";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, type FormState, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { findFoundLike, isKeyKnown, readComparison } from "../storage/routine-comparison.ts";
import { listUnsettledLike } from "../storage/routine-resolution.ts";
import { insertRoutine, markUnanswered, type NewRoutine, takeBackRefusedSend } from "../storage/routine-sends.ts";
import { findRoutineByKey, type RoutineRow } from "../storage/routines.ts";
import { findServiceUser, lockServiceUser } from "../storage/service-users.ts";
import { compareWithTimeout } from "./compare-routines.ts";
import { type Payment, paymentFields } from "./payment-fields.ts";
import { recordBalances } from "./record-balances.ts";
import { watchRoutine } from "./refresh-routine.ts";
import { refusalProblem } from "./refusal-problem.ts";
import { firstCheckSeconds } from "./resolve-routines.ts";
import { sendRoutine } from "./send-routine.ts";

/** The idempotency key in the form's address; undefined when the form needs a new one: it has none, or was already paid. */
export async function formKeyOf(partner: Partner, typed: unknown): Promise<string | undefined> {
  const { data: key } = paymentFields.shape.idempotency_key.safeParse(typed);
  const routine = key && (await findRoutineByKey(partner.db, key));
  return !routine || routine.state === "submitting" || routine.state === "unanswered" ? key : undefined;
}

export async function submitPayment(partner: Partner, payment: Payment, operator: Person): Promise<ActionResult> {
  const created = await createRoutine(partner, payment, operator);
  return created.kind === "problem" ? created.form : { redirectTo: `/routines/${created.routineId}` };
}

/** The routine, which may still wait for its answer, or why none was created. */
export type CreatedRoutine = { kind: "created"; routineId: string } | { kind: "problem"; form: FormState };

/** Pays a seller, once per idempotency key. While the outcome is unknown, nothing is sent again from here. */
export async function createRoutine(partner: Partner, payment: Payment, operator: Person): Promise<CreatedRoutine> {
  const seller = await findServiceUser(partner.db, payment.seller_user_id);
  if (!seller?.personId || !seller.accountId) {
    return { kind: "problem", form: problemAt("seller_user_id", "This seller can't be paid yet.") };
  }
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
  const form = await comparisonProblem(partner, routine);
  if (form) return { kind: "problem", form };
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
  const isForgotten = await partner.inTransaction((tx) => takeBackRefusedSend(tx, routine));
  return isForgotten ? { kind: "problem", form: refusalProblem(sent) } : created;
}

/** Stores the payment unless its key was used or the same payment may have been made. Serialized per seller. */
function reserveSend(
  partner: Partner,
  payment: NewRoutine,
): Promise<CreatedRoutine | { kind: "reserved"; routine: RoutineRow }> {
  return partner.inTransaction(async (tx) => {
    await lockServiceUser(tx, payment.sellerUserId);
    const routine = await insertRoutine(tx, payment);
    if (!isSame(routine, payment)) {
      const form = problemAt("form", alreadySent, { link: linkTo(routine.id) });
      return { kind: "problem" as const, form };
    }
    if (!routine.isNew) return { kind: "created" as const, routineId: routine.id };
    const alike = await listUnsettledLike(tx, payment);
    const twin = alike.find(({ id, state }) => id !== routine.id && state !== "refused");
    if (!twin) return { kind: "reserved" as const, routine };
    await takeBackRefusedSend(tx, routine);
    return { kind: "problem" as const, form: twinProblem(partner, twin) };
  });
}

const details = ["sourceId", "sellerUserId", "amountCents", "name", "destinationId"] as const;

function isSame(routine: RoutineRow, payment: NewRoutine): boolean {
  return details.every((name) => routine[name] === payment[name]);
}

const alreadySent =
  "This form was already sent with other details. Check your payments first. To pay again, start a new payment.";
const toPayAgain = "To pay again anyway, use different words for what it's for.";

function linkTo(routineId: string) {
  return { href: `/routines/${routineId}`, label: "View that payment" };
}

function twinProblem({ config: { serviceName } }: Partner, { id, state }: RoutineRow): FormState {
  const link = linkTo(id);
  if (state === "conflicting") {
    const message = `${serviceName} reported different results for exactly this payment. Record which result is right before you pay it again.`;
    return problemAt("form", message, { link, title: "This payment may have arrived already", isUnknown: true });
  }
  if (state === "succeeded") {
    const message = `An operator confirmed that exactly this payment arrived. ${toPayAgain}`;
    return problemAt("form", message, { link, title: "This payment arrived already" });
  }
  const message = `You sent exactly this payment before, and we're still finding out whether it was made. ${toPayAgain}`;
  return problemAt("form", message, { link, title: "We don't know yet whether this was paid", isUnknown: true });
}

const daysOfFound = 7;

/**
 * Why a payment may not be made yet: a restored Harbor may have forgotten that it was made before. Runs a comparison that is
 * due, and stops a payment that a comparison found. A key that is already known always passes.
 */
export async function comparisonProblem(partner: Partner, payment: NewRoutine): Promise<FormState | undefined> {
  const { serviceName } = partner.config;
  const { isDue } = await readComparison(partner.db);
  if (isDue && !(await isKeyKnown(partner.db, payment.idempotencyKey))) {
    const compared = await compareWithTimeout(partner);
    if (compared?.kind === "reauthorization_required") return refusalProblem(compared);
    // A comparison that was joined may have started before this one was due.
    if ((await readComparison(partner.db)).isDue) {
      const message = `${brandName} is checking with ${serviceName} for payments it doesn't know about. Nothing was sent.`;
      return problemAt("form", message, { title: "Please try again in a minute" });
    }
  }
  const foundId = await findFoundLike(partner.db, payment, daysOfFound);
  if (!foundId || (await isKeyKnown(partner.db, payment.idempotencyKey))) return undefined;
  const message = `${serviceName} already has exactly this payment, which ${brandName} has no record of sending. ${toPayAgain}`;
  return problemAt("form", message, { link: linkTo(foundId), title: "This payment may have been made already" });
}
