import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { type FormState, parseForm } from "../requests/form-state.ts";
import { paymentFields } from "../routines/payment-fields.ts";
import { formOfProblem } from "../routines/payment-problem.ts";
import { createRoutine } from "../routines/submit-payment.ts";
import type { ConnectedBusiness } from "./connected-users.ts";

export type PaidForm = { kind: "created"; routineId: string } | { kind: "problem"; form: FormState };

/** Fills in the form and submits it, like the operator's click on "Confirm and pay". */
export async function pay(
  { operator, sellerUserId }: ConnectedBusiness,
  fields: Record<string, string> = {},
): Promise<PaidForm> {
  const filled = { idempotency_key: crypto.randomUUID(), source_id: newId(), amount: "12.50", name: "Lamps" };
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...filled, seller_user_id: sellerUserId, ...fields })) {
    form.set(name, value);
  }
  const parsed = parseForm(paymentFields, form);
  if (parsed.kind === "problem") return parsed;
  const created = await createRoutine(partner(), parsed.values, operator);
  return created.kind === "created" ? created : { kind: "problem", form: formOfProblem(created.problem) };
}
