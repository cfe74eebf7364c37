import { brandName } from "../../../brand/name.ts";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, type FormState, problemAt, troubleOf } from "../requests/form-state.ts";
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

/**
 * The key of the form at this address, so that a form that is loaded again is the same payment. Undefined when it needs a new
 * one: it has none yet, or what became of its payment is known.
 */
export async function formKeyOf(partner: Partner, typed: unknown): Promise<string | undefined> {
  const { data: key } = paymentFields.shape.idempotency_key.safeParse(typed);
  const routine = key && (await findRoutineByKey(partner.db, key));
  return !routine || routine.state === "submitting" || routine.state === "unanswered" ? key : undefined;
}

/** The form at `/routines/new`: on to the routine's page, or what to put right. */
export async function submitPayment(partner: Partner, payment: Payment, operator: Person): Promise<ActionResult> {
  const created = await createRoutine(partner, payment, operator);
  if (created.kind === "problem") return created.form;
  return { redirectTo: `/routines/${created.routineId}` };
}

/** The routine to look at (it may still wait for its answer), or what to put right; then nothing was created. */
export type CreatedRoutine = { kind: "created"; routineId: string } | { kind: "problem"; form: FormState };

/**
 * Pays a seller: notes what is to be sent under the form's idempotency key, then sends it. The same form sent twice, by a
 * double click or after a lost answer, is one routine; while it is not known what became of it, it is not sent from here again.
 */
export async function createRoutine(partner: Partner, payment: Payment, operator: Person): Promise<CreatedRoutine> {
  const seller = await findServiceUser(partner.db, payment.seller_user_id);
  if (!seller?.personId || !seller.accountId) {
    return { kind: "problem", form: problemAt("seller_user_id", "This seller can't be paid yet.") };
  }
  const routine = newRoutine(payment, seller.accountId, operator);
  const uncompared = await comparisonProblem(partner, routine);
  if (uncompared) return { kind: "problem", form: uncompared };
  return partner.withPaymentLock(routine.idempotencyKey, () => insertAndSend(partner, routine));
}

function newRoutine(payment: Payment, destinationId: string, operator: Person): NewRoutine {
  return {
    id: newId(),
    idempotencyKey: payment.idempotency_key,
    createdBy: operator.id,
    traceId: newTraceId(),
    sourceId: payment.source_id,
    sellerUserId: payment.seller_user_id,
    amountCents: payment.amount,
    name: payment.name,
    destinationId,
  };
}

async function insertAndSend(partner: Partner, wanted: NewRoutine): Promise<CreatedRoutine> {
  const noted = await reserveSend(partner, wanted);
  if (noted.kind !== "noted") return noted;
  const { routine } = noted;
  await recordBalances(partner, routine, "before");
  const sent = await sendRoutine(partner, routine);
  if (sent.kind === "sent") {
    await watchRoutine(partner, routine.id);
    return { kind: "created", routineId: routine.id };
  }
  if (sent.kind === "unanswered") {
    await markUnanswered(partner.db, routine.id, firstCheckSeconds);
    return { kind: "created", routineId: routine.id };
  }
  return (await takeBack(partner, routine))
    ? { kind: "problem", form: refusalProblem(sent) }
    : { kind: "created", routineId: routine.id };
}

/**
 * Notes that the payment is to be sent, unless its key was used or the same payment may have been made. One at a time for each
 * seller: of two forms with the same payment that come at once, the second sees the first.
 */
function reserveSend(
  partner: Partner,
  wanted: NewRoutine,
): Promise<CreatedRoutine | { kind: "noted"; routine: RoutineRow }> {
  return partner.inTransaction(async (tx) => {
    await lockServiceUser(tx, wanted.sellerUserId);
    const routine = await insertRoutine(tx, wanted);
    if (!isSame(routine, wanted)) return { kind: "problem" as const, form: problemWithLink(routine, alreadySent) };
    // Answered, or on its way, or being found out: its page tells.
    if (!routine.isNew) return { kind: "created" as const, routineId: routine.id };
    const alike = await listUnsettledLike(tx, wanted);
    const twin = alike.find(({ id, state }) => id !== routine.id && state !== "refused");
    if (!twin) return { kind: "noted" as const, routine };
    await takeBackRefusedSend(tx, routine);
    return { kind: "problem" as const, form: twinProblem(partner, twin) };
  });
}

function takeBack(partner: Partner, routine: RoutineRow): Promise<boolean> {
  return partner.inTransaction((tx) => takeBackRefusedSend(tx, routine));
}

const alreadySent =
  "This form was already sent with other details. Check your payments first. To pay again, start a new payment.";
const toPayAgain = "To pay again anyway, use different words for what it's for.";
const stillUnknown = `You sent exactly this payment before, and we're still finding out whether it was made. ${toPayAgain}`;

/** Another routine stands in the way: it is the one to look at. */
function problemWithLink({ id }: RoutineRow, message: string): FormState {
  return { ...problemAt("form", message), link: { href: `/routines/${id}`, label: "View that payment" } };
}

function twinProblem({ config: { serviceName } }: Partner, twin: RoutineRow): FormState {
  if (twin.state === "conflicting") {
    const message = `${serviceName} reported different results for exactly this payment. Record which result is right before you pay it again.`;
    return { ...problemWithLink(twin, message), title: "This payment may have arrived already", isUnknown: true };
  }
  if (twin.state === "succeeded") {
    const message = `An operator confirmed that exactly this payment arrived. ${toPayAgain}`;
    return { ...problemWithLink(twin, message), title: "This payment arrived already" };
  }
  return { ...problemWithLink(twin, stillUnknown), title: "We don't know yet whether this was paid", isUnknown: true };
}

const details = ["sourceId", "sellerUserId", "amountCents", "name", "destinationId"] as const;

function isSame(routine: RoutineRow, wanted: NewRoutine): boolean {
  return details.every((name) => routine[name] === wanted[name]);
}

const daysOfFound = 7;

/**
 * Why a payment may not be made yet: Harbor may have forgotten that it was made before. A comparison that is due is done
 * first, and a payment that it found is not paid again by accident. A form that was sent before leads to its page in any case.
 */
export async function comparisonProblem(partner: Partner, wanted: NewRoutine): Promise<FormState | undefined> {
  const { isDue } = await readComparison(partner.db);
  if (isDue && !(await isKeyKnown(partner.db, wanted.idempotencyKey))) {
    const compared = await compareWithTimeout(partner);
    if (compared?.kind === "reauthorization_required") return refusalProblem(compared);
    // The one that was joined may have begun before it was due.
    if ((await readComparison(partner.db)).isDue)
      return troubleOf("Please try again in a minute", notCompared(partner));
  }
  const foundId = await findFoundLike(partner.db, wanted, daysOfFound);
  if (!foundId || (await isKeyKnown(partner.db, wanted.idempotencyKey))) return undefined;
  return {
    ...troubleOf("This payment may have been made already", foundSame(partner)),
    link: { href: `/routines/${foundId}`, label: "View that payment" },
  };
}

function notCompared(partner: Partner): string {
  const { serviceName } = partner.config;
  return `${brandName} is checking with ${serviceName} for payments it doesn't know about. Nothing was sent.`;
}

function foundSame(partner: Partner): string {
  const { serviceName } = partner.config;
  return `${serviceName} already has exactly this payment, which ${brandName} has no record of sending. To pay it again anyway, use different words for what it's for.`;
}
