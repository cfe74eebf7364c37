import { redirect } from "next/navigation";
import type { Partner } from "../partner.ts";
import type { FormState } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { findRoutineByKey } from "../storage/routines.ts";
import { createRoutine } from "./create-routine.ts";
import { type Payment, paymentFields } from "./payment-fields.ts";

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
export async function submitPayment(partner: Partner, payment: Payment, operator: Person): Promise<FormState> {
  const created = await createRoutine(partner, payment, operator);
  if (created.kind === "problem") return created.form;
  redirect(`/routines/${created.routineId}`);
}
