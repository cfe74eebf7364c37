import * as z from "zod/mini";
import { centsOf, type Routine } from "#client";
import { words } from "#words";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { outOfDate } from "../requests/form-fields.ts";
import { type ActionResult, type FormState, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { findMatchingAdopted } from "../storage/routine-comparison.ts";
import { acknowledgeSecondRecord, confirmEnd, findPaidTwice, isRoutineQuiet } from "../storage/routine-resolution.ts";
import { beginResend, markUnanswered, refuseRoutine, revertResend } from "../storage/routine-sends.ts";
import { findRoutine, findRoutineOfRecord, type RoutineRow } from "../storage/routines.ts";
import { applyReport, reportOf } from "./apply-report.ts";
import { compareWithTimeout } from "./compare-routines.ts";
import { formOfProblem, linkTo } from "./payment-problem.ts";
import { readRoutineOf, refreshRoutine, watchRoutine } from "./refresh-routine.ts";
import { firstCheckSeconds, isHeld, quietSeconds, sendRoutine, voidKey } from "./send-routine.ts";

const routine_id = z.guid({ error: outOfDate });
const say = () => words("resolve.problems");
const missingId = { error: () => say()("noId") };
const wrongId = { error: () => say()("wrongId") };
const askFirst = z.literal("yes", { error: () => say()("askFirst") });
const checkFirst = z.literal("yes", { error: () => say()("checkFirst") });

export const arrivedForm = z.object({
  routine_id,
  service_id: z.string(missingId).check(
    z.trim(),
    z.minLength(1, missingId),
    z.maxLength(200, wrongId),
    z.refine((value) => !/\p{Cc}/u.test(value), wrongId),
  ),
});
export const notCreatedForm = z.object({ routine_id, confirmed: checkFirst });
export const sendAgainForm = z.object({ routine_id, confirmed: askFirst });
export const endForm = z.object({
  routine_id,
  end: z.enum(["arrived", "not_arrived"], { error: () => say()("noEnd") }),
  confirmed: askFirst,
});
export const acknowledgeSecondForm = z.object({ routine_id, confirmed: checkFirst });

/** The form's URL, to return to after signing in again. */
export function addressOfSentResolution(sent: unknown): string {
  const { data: id } = routine_id.safeParse(sent instanceof FormData ? sent.get("routine_id") : undefined);
  return id ? `/routines/${id}/resolve` : "/routines";
}

/** The operator found the payment. Its record, by its own id or its transfer's, is applied if it matches. */
export async function submitArrived(
  partner: Partner,
  { routine_id, service_id }: z.output<typeof arrivedForm>,
  operator: Person,
): Promise<ActionResult> {
  const routine = await findRoutine(partner.db, routine_id);
  if (routine?.state !== "unanswered") return backTo(routine_id);
  const record = await lookUp(partner, service_id, routine);
  if (record.kind === "problem") return record.form;
  const problem = await problemOfRecord(partner, routine, record.body);
  if (problem) return problem;
  await applyReport(partner, routine.id, { ...reportOf(record.body), resolvedBy: operator.id });
  await watchRoutine(partner, routine.id);
  return backTo(routine.id);
}

/** The operator found no payment. If it turns up later, its record still counts, as its own or as an adopted payment. */
export async function submitNotCreated(
  partner: Partner,
  { routine_id }: z.output<typeof notCreatedForm>,
  operator: Person,
): Promise<ActionResult> {
  const routine = await findRoutine(partner.db, routine_id);
  if (routine?.state !== "unanswered") return backTo(routine_id);
  if (!(await isHeld(partner, routine))) return problemAt("form", say()("waiting"));
  if (!(await isRoutineQuiet(partner.db, routine.id, quietSeconds))) {
    return problemAt("form", say()("onItsWay"));
  }
  // If the service has no such call, the operator's word counts.
  const voided = await voidKey(partner, routine);
  if (voided === "unknown") return problemAt("form", say()("notVoided"));
  if (voided === "found") return backTo(routine.id);
  await refuseRoutine(partner.db, routine, { failureReason: "said_by_operator", resolvedBy: operator.id });
  return backTo(routine.id);
}

/** The operator has handled a payment that was made twice, so resending is allowed again. */
export async function submitAcknowledgeSecond(
  partner: Partner,
  { routine_id }: z.output<typeof acknowledgeSecondForm>,
  operator: Person,
): Promise<ActionResult> {
  await acknowledgeSecondRecord(partner.db, routine_id, operator.id);
  return backTo(routine_id);
}

/** The operator confirms one of two reported ends. The first confirmation wins. */
export async function submitEnd(
  partner: Partner,
  { routine_id, end }: z.output<typeof endForm>,
  operator: Person,
): Promise<ActionResult> {
  const state = end === "arrived" ? "succeeded" : "failed";
  const isConfirmed = await confirmEnd(partner.db, routine_id, { state, personId: operator.id });
  if (isConfirmed)
    log().warn({ routineId: routine_id, personId: operator.id, end }, "an operator confirmed a payment's outcome");
  return backTo(routine_id);
}

/** The operator resends a payment that the service no longer has. */
export async function submitSendAgain(
  partner: Partner,
  { routine_id }: z.output<typeof sendAgainForm>,
): Promise<ActionResult> {
  const form = await sendAgain(partner, routine_id);
  if (form) return form;
  await watchRoutine(partner, routine_id);
  return backTo(routine_id);
}

function backTo(routineId: string): ActionResult {
  return { redirectTo: `/routines/${routineId}` };
}

type RoutineLookup = { kind: "ok"; body: Routine } | { kind: "problem"; form: FormState };

async function lookUp(partner: Partner, serviceId: string, { traceId }: RoutineRow): Promise<RoutineLookup> {
  const asRoutine = await readRoutineOf(partner, { serviceRoutineId: serviceId }, { traceId });
  const isThere = asRoutine.kind !== "refused" || asRoutine.status !== 404;
  const answer = isThere ? asRoutine : await readRoutineOf(partner, { transferId: serviceId }, { traceId });
  if (answer.kind === "ok") return { kind: "ok", body: answer.body };
  if (answer.kind === "reauthorization_required") {
    const link = { href: "/business", label: words("connection")("connectBusiness") };
    return { kind: "problem", form: problemAt("form", say()("notConnected"), { link }) };
  }
  const isUnknown = answer.kind === "refused" && answer.status === 404;
  return { kind: "problem", form: problemAt("service_id", say()(isUnknown ? "unknownId" : "unusable")) };
}

async function problemOfRecord(partner: Partner, routine: RoutineRow, record: Routine): Promise<FormState | undefined> {
  const owner = await findRoutineOfRecord(partner.db, record);
  // An adopted payment can turn out to be this one.
  if (owner && owner.id !== routine.id && owner.createdBy !== null) {
    return problemAt("service_id", say()("otherPayment"), { link: linkTo(owner.id) });
  }
  const pairs: [what: "amount" | "name" | "source" | "destination", theirs: unknown, ours: unknown][] = [
    ["amount", centsOf(record.amount), routine.amountCents],
    ["name", record.name, routine.name],
    ["source", record.source_id, routine.sourceId],
    ["destination", record.destination_id, routine.destinationId],
  ];
  const [different] = pairs.filter(([, entered, ours]) => entered !== undefined && entered !== ours);
  if (!different) return undefined;
  return problemAt("service_id", say()(`differs.${different[0]}`));
}

// A payment that is only briefly missing could be paid twice.
const missingMs = 5 * 60_000;

/**
 * Resends a missing payment under its own key, once, after checking the service's records and list again. Returns why
 * not, or undefined if it was sent or is no longer missing.
 */
export async function sendAgain(partner: Partner, routineId: string): Promise<FormState | undefined> {
  const routine = await findRoutine(partner.db, routineId);
  if (routine?.state !== "missing") return undefined;
  const form = await problemOfSendingAgain(partner, routine);
  if (!form) return partner.withPaymentLock(routine.idempotencyKey, () => sendMissing(partner, routineId));
  // Another operator may have resent it during the checks.
  return (await findRoutine(partner.db, routineId))?.state === "missing" ? form : undefined;
}

async function problemOfSendingAgain(partner: Partner, routine: RoutineRow) {
  const { id, createdBy, missingRealAt, traceId } = routine;
  if (createdBy === null) return problemAt("form", say()("notOurs"));
  const twiceId = await findPaidTwice(partner.db);
  if (twiceId) return problemAt("form", say()("paidTwice"), { link: linkTo(twiceId) });
  if (missingRealAt === null || Date.now() - missingRealAt.getTime() < missingMs) {
    return problemAt("form", say()("tooSoon"));
  }
  const isRead = (await refreshRoutine(partner, id, { traceId })) === "applied";
  const compared = isRead ? await compareWithTimeout(partner) : undefined;
  if (compared?.kind === "reauthorization_required") return formOfProblem(compared);
  if (compared?.kind !== "compared") return problemAt("form", say()("notChecked"));
  // Harbor may have resent it before being restored, or someone may have entered it again at the service.
  const foundId = await findMatchingAdopted(partner.db, routine, { since: routine.createdAt });
  return foundId === undefined ? undefined : formOfProblem({ kind: "found", routineId: foundId });
}

async function sendMissing(partner: Partner, routineId: string): Promise<FormState | undefined> {
  const routine = await findRoutine(partner.db, routineId);
  if (routine?.state !== "missing" || !(await beginResend(partner.db, routine))) return undefined;
  const { traceId, serviceRoutineId, transferId } = routine;
  log().warn({ traceId, routineId, serviceRoutineId, transferId }, "resending a payment that the service lost");
  const sent = await sendRoutine(partner, routine);
  if (sent.kind === "sent") return undefined;
  if (sent.kind === "unanswered") {
    await markUnanswered(partner.db, routineId, firstCheckSeconds);
    return undefined;
  }
  await revertResend(partner.db, routine);
  return formOfProblem(sent);
}
