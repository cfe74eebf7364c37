import { redirect } from "next/navigation";
import type { FormState } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { createRoutine } from "./create-routine.ts";
import type { Payment } from "./payment-fields.ts";

/** The form at `/routines/new`: on to the routine's page, or what to put right. */
export async function submitPayment(payment: Payment, operator: Person): Promise<FormState> {
  const created = await createRoutine(payment, operator);
  if (created.kind === "problem") return created.form;
  redirect(`/routines/${created.routineId}`);
}
