import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { deleteUnansweredRoutine, insertRoutine, type RoutineRow } from "../storage/routines.ts";
import { findServiceUser } from "../storage/service-users.ts";
import { problemOfRefusal } from "./problem-of-refusal.ts";
import { parseRoutineForm, type RoutineProblem } from "./routine-form.ts";
import { sendRoutine } from "./send-routine.ts";

/** The routine to look at (it may still wait for its answer), or what to put right; then nothing was created. */
export type CreatedRoutine = { kind: "created"; routineId: string } | RoutineProblem;

/**
 * Pays a seller: notes what is to be sent under the form's idempotency key, then sends it. The same form sent twice, by a
 * double click or after a lost answer, is one routine.
 */
export async function createRoutine(form: FormData, operator: Person): Promise<CreatedRoutine> {
  const parsed = parseRoutineForm(form);
  if (parsed.kind === "problem") return parsed;
  const { idempotencyKey, sourceId, sellerUserId, amount: amountCents, name } = parsed.values;
  const seller = await findServiceUser(database(), sellerUserId);
  if (!seller?.personId || !seller.accountId) {
    return { kind: "problem", fields: { sellerUserId: "This seller cannot be paid yet." } };
  }
  const wanted = { sourceId, sellerUserId, amountCents, name, destinationId: seller.accountId };
  const routine = await insertRoutine(database(), {
    id: newId(),
    idempotencyKey,
    createdBy: operator.id,
    traceId: newTraceId(),
    ...wanted,
  });
  if (!isSame(routine, wanted)) return { kind: "problem", fields: {}, form: alreadySent };
  if (routine.status !== "submitting") return { kind: "created", routineId: routine.id };

  const sent = await sendRoutine(routine);
  if (sent.kind === "sent" || sent.kind === "unanswered") return { kind: "created", routineId: routine.id };
  await deleteUnansweredRoutine(database(), routine.id);
  return problemOfRefusal(sent);
}

const alreadySent =
  "This form was already sent with other details. Look at the routines; to pay again, begin a new payment.";

function isSame(routine: RoutineRow, wanted: Partial<RoutineRow>): boolean {
  return (Object.keys(wanted) as (keyof RoutineRow)[]).every((name) => routine[name] === wanted[name]);
}
