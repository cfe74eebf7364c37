import { redirect } from "next/navigation";
import type * as z from "zod/mini";
import { centsOf, type Routine } from "#client";
import { brandName } from "../../../brand/name.ts";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { confirmEnd, isRoutineQuiet, noteSecondSeen } from "../storage/routine-looks.ts";
import { refuseRoutine } from "../storage/routine-sends.ts";
import { findRoutine, findRoutineByServiceId, type RoutineRow } from "../storage/routines.ts";
import { readRoutineOf } from "./apply-routine-update.ts";
import { keepRoutine } from "./keep-routine.ts";
import { watchRoutine } from "./refresh-routine.ts";
import type { arrivedForm, endForm, nothingForm, secondSeenForm, sendAgainForm } from "./resolution-fields.ts";
import { sendAgain } from "./send-again.ts";
import { isHeld, quietSeconds, voidKey } from "./send-routine.ts";

/** The operator found the payment at the service: its record is looked up, and kept when it can be this payment. */
export async function submitArrived(
  partner: Partner,
  { routine_id, service_id }: z.output<typeof arrivedForm>,
  operator: Person,
): Promise<FormState> {
  const routine = await findRoutine(partner.db, routine_id);
  if (routine?.state !== "unanswered") return leave(routine_id);
  const record = await lookUp(partner, service_id, routine);
  if (record.kind === "problem") return record.form;
  const problem = await problemOfRecord(partner, routine, record.body);
  if (problem) return problem;
  const { id, transfer_id, status, created_at } = record.body;
  await keepRoutine(partner, routine.id, {
    serviceRoutineId: id,
    transferId: transfer_id,
    routine: status === undefined ? { kind: "unknown" } : { kind: "told", status, since: created_at },
    transfer: { kind: "unknown" },
    resolvedBy: operator.id,
  });
  await watchRoutine(partner, routine.id);
  return leave(routine.id);
}

/** The operator found nothing at the service. Should the payment turn up all the same, its record still counts. */
export async function submitNothingCreated(
  partner: Partner,
  { routine_id }: z.output<typeof nothingForm>,
  operator: Person,
): Promise<FormState> {
  const routine = await findRoutine(partner.db, routine_id);
  if (routine?.state !== "unanswered") return leave(routine_id);
  if (!(await isHeld(partner, routine)))
    return problemAt("form", `${brandName} is still finding out by itself. Please wait.`);
  if (!(await isRoutineQuiet(partner.db, routine.id, quietSeconds))) {
    return problemAt("form", "The request may still be on its way. Please look again five minutes after it was sent.");
  }
  // Where keys can be voided, a request that is still on its way does nothing any more.
  if ((await voidKey(partner, routine)) === "found") return leave(routine.id);
  await refuseRoutine(partner.db, routine, { failureReason: "said_by_operator", resolvedBy: operator.id });
  return leave(routine.id);
}

/** The operator has dealt with a payment that was made twice: from then on payments may be sent again. */
export async function submitSecondSeen(
  partner: Partner,
  { routine_id }: z.output<typeof secondSeenForm>,
  operator: Person,
): Promise<FormState> {
  await noteSecondSeen(partner.db, routine_id, operator.id);
  return leave(routine_id);
}

/** The operator confirms which end is right of a payment that was reported with two: of several who do at once, one counts. */
export async function submitEnd(
  partner: Partner,
  { routine_id, end }: z.output<typeof endForm>,
  operator: Person,
): Promise<FormState> {
  const state = end === "arrived" ? "succeeded" : "failed";
  const isConfirmed = await confirmEnd(partner.db, routine_id, { state, personId: operator.id });
  if (isConfirmed) log().warn({ routineId: routine_id, personId: operator.id, end }, "an operator confirmed an end");
  return leave(routine_id);
}

/** The operator has a payment sent again that the service no longer has. */
export async function submitSendAgain(
  partner: Partner,
  { routine_id }: z.output<typeof sendAgainForm>,
): Promise<FormState> {
  const sent = await sendAgain(partner, routine_id);
  if (sent.kind === "problem") return sent.form;
  await watchRoutine(partner, routine_id);
  return leave(routine_id);
}

function leave(routineId: string): never {
  redirect(`/routines/${routineId}`);
}

type LookedUp = { kind: "ok"; body: Routine } | { kind: "problem"; form: FormState };

async function lookUp(partner: Partner, serviceId: string, { traceId }: RoutineRow): Promise<LookedUp> {
  const asRoutine = await readRoutineOf(partner, { serviceRoutineId: serviceId }, { traceId });
  const isThere = asRoutine.kind !== "refused" || asRoutine.status !== 404;
  const answer = isThere ? asRoutine : await readRoutineOf(partner, { transferId: serviceId }, { traceId });
  if (answer.kind === "ok") return { kind: "ok", body: answer.body };
  if (answer.kind === "reauthorization_required") {
    const form = problemAt("form", "The business is not connected. Connect it first, then look this up.");
    return { kind: "problem", form: { ...form, link: { href: "/business", label: "Go to the business" } } };
  }
  const { serviceName } = partner.config;
  const isUnknown = answer.kind === "refused" && answer.status === 404;
  const message = isUnknown
    ? `${serviceName} has no payment or transfer with this ID.`
    : `${serviceName} did not answer in a way that ${brandName} understands. Please try again, or enter the other of the two IDs.`;
  return { kind: "problem", form: problemAt("service_id", message) };
}

async function problemOfRecord(partner: Partner, routine: RoutineRow, record: Routine): Promise<FormState | undefined> {
  const owner = await findRoutineByServiceId(partner.db, { serviceRoutineId: record.id });
  // One that was only found there may turn out to be this one.
  if (owner && owner.id !== routine.id && owner.createdBy !== null) {
    const form = problemAt("service_id", `This is the ID of another payment from ${brandName}.`);
    return { ...form, link: { href: `/routines/${owner.id}`, label: "View that payment" } };
  }
  const pairs: [string, unknown, unknown][] = [
    ["amount", centsOf(record.amount), routine.amountCents],
    ["purpose", record.name, routine.name],
    ["source account", record.source_id, routine.sourceId],
    ["receiving account", record.destination_id, routine.destinationId],
  ];
  const [different] = pairs.filter(([, theirs, ours]) => theirs !== undefined && theirs !== ours);
  if (!different) return undefined;
  return problemAt("service_id", `This is a record of another payment: its ${different[0]} is different.`);
}
